"""A short title for each kind of error, as RFC 9457 wants one."""

from __future__ import annotations

from connector.core.messages import Text

TITLES: dict[str, Text] = {
    "input": Text("The input is wrong", "Die Eingabe stimmt nicht"),
    "host_token": Text("The host token is missing or wrong", "Das Host-Token fehlt oder ist falsch"),
    "key_refused": Text("The API key is not accepted", "Der API-Schlüssel wird nicht angenommen"),
    "reconnect_needed": Text("The ledger connection must be renewed", "Die Verbindung muss erneuert werden"),
    "service_not_booked": Text("A needed service is not booked", "Ein benötigter Dienst ist nicht gebucht"),
    "right_missing": Text("A right is missing", "Ein Recht fehlt"),
    "rate_limited": Text("Too many requests", "Zu viele Anfragen"),
    "budget_held": Text("The credits do not allow it", "Die Credits erlauben es nicht"),
    "not_found": Text("Not found", "Nicht gefunden"),
    "conflict": Text("Not possible in this state", "In diesem Zustand nicht möglich"),
    "refused": Text("The service refused", "Der Dienst hat abgelehnt"),
    "service_down": Text("The service does not answer", "Der Dienst antwortet nicht"),
    "outcome_unknown": Text("Nobody knows whether it happened", "Ob es geschah, ist nicht bekannt"),
    "bad_reply": Text("The service's answer is unreadable", "Die Antwort des Dienstes ist nicht lesbar"),
    "method_not_allowed": Text("Method not allowed", "Methode nicht erlaubt"),
    "too_large": Text("The request is too large", "Die Anfrage ist zu groß"),
    "error": Text("Something went wrong inside Kontor", "In Kontor ist etwas schiefgegangen"),
}
