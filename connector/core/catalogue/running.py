"""Running actions, polling, and what it may cost."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
    # Running actions.
    "ids_not_numbers": (
        "The service's list is kept by ids that are no numbers, so nobody can tell what is new in it.",
        "Die Liste des Dienstes führt Ids, die keine Zahlen sind; was darin neu ist, lässt sich so nicht sagen.",
    ),
    "reply_unexpected": (
        "The service's answer has an unexpected form: {why}.",
        "Die Antwort des Dienstes hat eine unerwartete Form: {why}.",
    ),
    "key_invalid": (
        "The key must be printable text of 1 to {most} characters that does not begin with '~'.",
        "Der Schlüssel muss druckbarer Text mit 1 bis {most} Zeichen sein und darf nicht mit „~“ beginnen.",
    ),
    "key_conflict": (
        "The key '{key}' was used before with other inputs or for another action.",
        "Der Schlüssel „{key}“ wurde schon mit anderen Eingaben oder für eine andere Aktion benutzt.",
    ),
    "key_conflict_remedy": (
        "Give every intention its own key (for example run id and step id), and keep it for repeats of the same.",
        "Jedem Vorhaben einen eigenen Schlüssel geben (etwa Lauf- und Schritt-ID) und ihn nur für Wiederholungen behalten.",
    ),
    "parked": (
        "The request was sent, but nobody knows whether the service acted. It is parked and will not be repeated.",
        "Die Anfrage wurde gesendet, aber ob der Dienst gehandelt hat, ist unbekannt. Sie ist geparkt und wird nicht wiederholt.",
    ),
    "parked_remedy": (
        "Look in the ledger or bank whether it happened, then say so: kontor parked settle '{key}' --happened yes|no.",
        "In Buchhaltung oder Bank nachsehen, ob es geschehen ist, und dann sagen: kontor parked settle '{key}' --happened yes|no.",
    ),
    "parked_look_again": (
        "Run the step again with the same key ('{key}'): Kontor looks at the service whether it exists before anything is sent.",
        "Den Schritt mit demselben Schlüssel („{key}“) erneut ausführen: Kontor sieht beim Dienst nach, ob es existiert, bevor etwas gesendet wird.",
    ),
    "repeat_is_harmless": (
        "Run the step again: doing it twice has the same result as doing it once.",
        "Den Schritt erneut ausführen: Zweimal hat dasselbe Ergebnis wie einmal.",
    ),
    "not_parked": (
        "Nothing is parked under the key '{key}'.",
        "Unter dem Schlüssel „{key}“ ist nichts geparkt.",
    ),
    "not_parked_remedy": ("kontor parked lists what is.", "kontor parked zeigt, was geparkt ist."),
    "action_unknown": ("There is no action '{id}'.", "Es gibt keine Aktion „{id}“."),
    "lookup_unknown": ("There is no lookup '{id}'.", "Es gibt keine Auswahlliste „{id}“."),
    "trigger_unknown": ("There is no trigger '{id}'.", "Es gibt keinen Auslöser „{id}“."),
    "list_them": ("`kontor {kind}` lists them.", "`kontor {kind}` zeigt sie."),
    # Polling.
    "start_invalid": (
        "The start must be 'now', 'all' or 'since:ID'.",
        "Der Startpunkt muss „now“, „all“ oder „since:ID“ sein.",
    ),
    "cursor_invalid": (
        "The cursor does not fit this trigger: {why}.",
        "Der Cursor passt nicht zu diesem Auslöser: {why}.",
    ),
    "event_trigger_polled": (
        "'{id}' is started by the service's events; it cannot be polled.",
        "„{id}“ wird durch Ereignisse des Dienstes gestartet; abfragen lässt er sich nicht.",
    ),
    "event_trigger_polled_remedy": (
        "Subscribe to it through a Kontor host, or poll 'payment_status_changed' or 'new_transaction' instead.",
        "Über einen Kontor-Host abonnieren oder stattdessen „payment_status_changed“ oder „new_transaction“ abfragen.",
    ),
    # Budgets.
    "budget_day": (
        "Today's budget of {budget} credits is used up ({spent} spent; this step costs {cost}).",
        "Das Tagesbudget von {budget} Credits ist ausgeschöpft ({spent} verbraucht; dieser Schritt kostet {cost}).",
    ),
    "budget_flow": (
        "This flow's budget of {budget} credits a day is used up ({spent} spent; this step costs {cost}).",
        "Das Tagesbudget dieses Ablaufs von {budget} Credits ist ausgeschöpft ({spent} verbraucht; dieser Schritt kostet {cost}).",
    ),
    "budget_kept_for_writes": (
        "The last {kept} credits are kept for bookings and payments; this step only reads and costs {cost}.",
        "Die letzten {kept} Credits sind Buchungen und Zahlungen vorbehalten; dieser Schritt liest nur und kostet {cost}.",
    ),
    "budget_remedy": (
        "Wait until tomorrow, raise the budget (kontor credits --per-day N), or top up the credits.",
        "Bis morgen warten, das Budget erhöhen (kontor credits --per-day N) oder Guthaben aufladen.",
    ),
}
