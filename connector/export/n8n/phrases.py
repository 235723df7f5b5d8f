"""The words of the n8n package that no manifest holds, English and German side by side."""

from __future__ import annotations

from connector.core.messages import Text

PHRASES: dict[str, Text] = {
    "area_ledger": Text("Accounting", "Buchhaltung"),
    "area_banking": Text("Banking", "Banking"),
    "area_mobility": Text("Mobility", "Mobilität"),
    "area_any": Text("API", "API"),
    "resource": Text("Resource", "Bereich"),
    "operation": Text("Operation", "Vorgang"),
    "trigger": Text("Trigger On", "Auslösen bei"),
    "start": Text("Start With", "Beginnen mit"),
    "start_help": Text(
        "What the very first poll may start the workflow with. Later polls always go on where the last one ended.",
        "Womit die allererste Abfrage den Ablauf starten darf. Spätere fahren immer dort fort, wo die letzte endete.",
    ),
    "start_now": Text("Only What Is New From Now On", "Nur, was ab jetzt neu ist"),
    "start_all": Text("Everything That Is There", "Alles, was da ist"),
    "start_since": Text("Everything After an ID", "Alles nach einer ID"),
    "since": Text("After ID", "Nach ID"),
    "since_help": Text(
        "The last ID that is already known, exactly as it was shown",
        "Die letzte schon bekannte ID, genau wie angezeigt",
    ),
    "one_url": Text(
        "The service has one webhook URL for all. While this workflow is active, it goes to this workflow and to "
        "nobody else. A URL that somebody else has set is not replaced unless you allow it below.",
        "Der Dienst hat nur eine Webhook-URL für alle. Solange dieser Ablauf aktiv ist, gehört sie diesem Ablauf und "
        "niemandem sonst. Eine fremde URL wird nur ersetzt, wenn Sie es unten erlauben.",
    ),
    "shared_hub": Text(
        "The Kontor host shares the service's one webhook URL among all workflows. The IDs of events are stable: a "
        "repeated delivery carries the same one.",
        "Der Kontor-Host teilt die eine Webhook-URL des Dienstes unter allen Abläufen. Die IDs der Ereignisse sind "
        "stabil: eine wiederholte Zustellung trägt dieselbe.",
    ),
    "replace": Text("Replace a Foreign URL", "Fremde URL ersetzen"),
    "replace_help": Text(
        "Whether to take over a webhook URL that somebody else has set. It is put back when this workflow is switched "
        "off.",
        "Ob eine Webhook-URL übernommen werden darf, die jemand anderes gesetzt hat. Sie wird zurückgegeben, wenn "
        "dieser Ablauf abgeschaltet wird.",
    ),
    "base_url": Text("Base URL", "Basis-URL"),
    "base_url_help": Text("Address of the service, without /v2", "Adresse des Dienstes, ohne /v2"),
    "host_url": Text("Kontor Host URL", "Adresse des Kontor-Hosts"),
    "host_url_help": Text("Address of your Kontor host", "Adresse Ihres Kontor-Hosts"),
    "host_token": Text("Kontor Host Token", "Token des Kontor-Hosts"),
    "host_token_help": Text("The token that the host was started with", "Das Token, mit dem der Host gestartet wurde"),
    "api_key": Text("API Key", "API-Schlüssel"),
    "api_key_help": Text(
        "Created in the service's dashboard under API keys", "Im Dashboard des Dienstes unter API-Schlüssel angelegt"
    ),
    "test_unknown": Text(
        "The service does not accept the API key. Create one in its dashboard under API keys, and enter it here.",
        "Der Dienst nimmt den API-Schlüssel nicht an. Im Dashboard unter API-Schlüssel einen anlegen und hier "
        "eintragen.",
    ),
    "test_unknown_to_host": Text(
        "The host does not accept its token, or the service does not accept the API key. Check both.",
        "Der Host nimmt sein Token nicht an oder der Dienst den API-Schlüssel nicht. Beide prüfen.",
    ),
    "test_forbidden": Text(
        "The API key is known, but may not read bank accounts. Whoever manages the keys can grant that.",
        "Der API-Schlüssel ist bekannt, darf aber keine Bankkonten lesen. Wer die Schlüssel verwaltet, kann das "
        "freigeben.",
    ),
    "test_elsewhere": Text(
        "Somebody answers at this address, but knows nothing of this service. Check the address.",
        "Unter dieser Adresse antwortet jemand, kennt aber diesen Dienst nicht. Die Adresse prüfen.",
    ),
    "test_later": Text(
        "Too many requests for this API key within 15 minutes. Test again later; the key itself may be fine.",
        "Zu viele Anfragen für diesen API-Schlüssel in 15 Minuten. Später erneut testen; der Schlüssel selbst kann "
        "in Ordnung sein.",
    ),
    "webhook_taken": Text(
        "The service's webhook URL is already set to {url}, which is not this workflow.",
        "Die Webhook-URL des Dienstes ist schon auf {url} gesetzt; das ist nicht dieser Ablauf.",
    ),
    "webhook_taken_remedy": Text(
        "Switch on 'Replace a Foreign URL' in this node to take it over, use a polling trigger instead, or let a "
        "Kontor host share the URL.",
        "„Fremde URL ersetzen“ in diesem Knoten einschalten, stattdessen einen abfragenden Auslöser benutzen oder die "
        "URL von einem Kontor-Host teilen lassen.",
    ),
    "webhook_not_set": Text(
        "The service does not show the webhook URL that was set: {url}.",
        "Der Dienst zeigt die gesetzte Webhook-URL nicht: {url}.",
    ),
    "dropdown_needs": Text("Choose this first: {field}.", "Zuerst dies wählen: {field}."),
    "host_language": Text("en", "de"),
    "id_lost_digits": Text(
        "The ID came as a number that is too large to be exact. Hand it on as text.",
        "Die ID kam als Zahl, die zu groß ist, um genau zu sein. Als Text weitergeben.",
    ),
}


def phrase(name: str, lang: str, /, **values: object) -> str:
    """The words called `name`, with blanks filled in."""
    return PHRASES[name].in_(lang).format(**values)
