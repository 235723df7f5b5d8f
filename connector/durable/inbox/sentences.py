"""What the hub says to people, English and German side by side."""

from __future__ import annotations

from connector.core.messages import Text

NO_PUBLIC_URL = Text(
    "Events need a public address of this host, and none is set.",
    "Ereignisse brauchen eine öffentliche Adresse dieses Hosts, und es ist keine gesetzt.",
)
NO_PUBLIC_URL_REMEDY = Text(
    "Start the host with its public https address, for example https://kontor.muster.example.",
    "Den Host mit seiner öffentlichen https-Adresse starten, zum Beispiel https://kontor.muster.example.",
)
URL_TAKEN = Text(
    "The service already sends its events to {host}. It knows one address only, and that one was not set by Kontor.",
    "Der Dienst sendet seine Ereignisse bereits an {host}. Er kennt nur eine, und Kontor hat sie nicht gesetzt.",
)
URL_TAKEN_REMEDY = Text(
    "Take the address over on purpose, and choose whether events are passed on to the former one; it is put back when "
    "the last subscription ends.",
    "Die Adresse bewusst übernehmen und wählen, ob Ereignisse an die bisherige weitergereicht werden; sie wird "
    "zurückgegeben, wenn das letzte Abonnement endet.",
)
BUSY = Text(
    "Another host is just changing the webhook URL of this credential.",
    "Ein anderer Host ändert gerade die Webhook-URL dieser Zugangsdaten.",
)
BUSY_REMEDY = Text("Try again in a minute.", "In einer Minute erneut versuchen.")
NOT_YET_SET = Text("The webhook URL is not set yet.", "Die Webhook-URL ist noch nicht gesetzt.")
DRIFTED = Text(
    "Somebody has replaced the webhook URL: events now go to {host}, and none arrive here.",
    "Jemand hat die Webhook-URL ersetzt: Ereignisse gehen jetzt an {host}, hier kommen keine an.",
)
CLEARED = Text(
    "Somebody has removed the webhook URL: no events arrive here.",
    "Jemand hat die Webhook-URL entfernt: Hier kommen keine Ereignisse an.",
)
DRIFTED_REMEDY = Text(
    "Find out who needs it. To have it back, register the hub again and take the address over on purpose.",
    "Klären, wer sie braucht. Um sie zurückzuholen, den Hub neu registrieren und die Adresse bewusst übernehmen.",
)
SILENT = Text(
    "Payments have changed, but no event has arrived since {since}.",
    "Zahlungen haben sich geändert, aber seit {since} ist kein Ereignis angekommen.",
)
SILENT_REMEDY = Text(
    "Check that this host can be reached from outside under its public address. Until then, changes are found by "
    "reading the payments list, minutes later.",
    "Prüfen, ob dieser Host unter seiner öffentlichen Adresse von außen erreichbar ist. Bis dahin werden Änderungen "
    "über die Zahlungsliste gefunden, einige Minuten später.",
)


def fill(text: Text, **values: str) -> Text:
    """The sentence with its blanks filled in."""
    return Text(text.en.format(**values), text.de.format(**values))
