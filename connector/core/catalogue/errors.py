"""What went wrong with a call, and what to do about it."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
    # Remedies by kind of error: used when nothing more precise is known.
    "input_remedy": (
        "Correct this field and run the step again. Nothing was sent and nothing was charged.",
        "Dieses Feld korrigieren und den Schritt erneut ausführen. Es wurde nichts gesendet und nichts berechnet.",
    ),
    "key_refused_remedy": (
        "Create an API key in the dashboard under 'API keys' and enter it in the credential.",
        "Im Dashboard unter „API-Schlüssel“ einen Schlüssel anlegen und in den Zugangsdaten eintragen.",
    ),
    "reconnect_needed_remedy": (
        "Open the reconnect link, sign in at the accounting provider, then run the step again.",
        "Den Link zum erneuten Verbinden öffnen, beim Buchhaltungsanbieter anmelden und den Schritt erneut ausführen.",
    ),
    "service_not_booked_remedy": (
        "Book the missing service at the accounting provider for this client. Connecting again does not help.",
        "Den fehlenden Dienst beim Buchhaltungsanbieter für diesen Mandanten buchen. Neu verbinden hilft nicht.",
    ),
    "right_missing_remedy": (
        "Ask the tax advisor or the owner of the client to grant the right. Connecting again does not help.",
        "Die Kanzlei oder den Mandanteninhaber bitten, das Recht freizugeben. Neu verbinden hilft nicht.",
    ),
    "rate_limited_remedy": (
        "Wait until the time given, then run the step again. Run flows less often if this keeps happening.",
        "Bis zur genannten Zeit warten und den Schritt erneut ausführen. Bei Wiederholung Abläufe seltener starten.",
    ),
    "budget_held_remedy": (
        "Top up the credits in the dashboard, or raise the budget of this credential.",
        "Guthaben im Dashboard aufladen oder das Budget dieser Zugangsdaten erhöhen.",
    ),
    "not_found_remedy": (
        "Check the id, or choose the entry from the dropdown.",
        "Die Kennung prüfen oder den Eintrag aus der Auswahlliste wählen.",
    ),
    "refused_remedy": (
        "Correct what the service names, then run the step again. Nothing was booked or paid.",
        "Korrigieren, was der Dienst nennt, und den Schritt erneut ausführen. Es wurde nichts gebucht oder bezahlt.",
    ),
    "service_down_remedy": (
        "Run the step again in a few minutes. Nothing was changed.",
        "Den Schritt in einigen Minuten erneut ausführen. Es wurde nichts verändert.",
    ),
    "outcome_unknown_remedy": (
        "Look in the ledger or bank whether it happened before you run this step again: a repeat could book or pay twice.",
        "Vor einer Wiederholung in Buchhaltung oder Bank nachsehen, ob es geschehen ist: sonst droht eine Doppelbuchung "
        "oder Doppelzahlung.",
    ),
    "bad_reply_remedy": (
        "Check the base URL of the credential. If it is right, tell the service's support what was answered.",
        "Die Basis-URL der Zugangsdaten prüfen. Stimmt sie, dem Support des Dienstes die Antwort mitteilen.",
    ),
    # What the service answered.
    "key_refused": (
        "The service does not accept the API key: {said}",
        "Der Dienst akzeptiert den API-Schlüssel nicht: {said}",
    ),
    "reconnect_needed": (
        "The ledger connection has expired or was revoked: {said}",
        "Die Verbindung zur Buchhaltung ist abgelaufen oder wurde widerrufen: {said}",
    ),
    "service_not_booked": (
        "The client has not booked the service that this step needs: {said}",
        "Der Mandant hat den für diesen Schritt nötigen Dienst nicht gebucht: {said}",
    ),
    "service_not_booked_has": (
        "Book the missing service at the accounting provider; booked now: {booked}. Connecting again does not help.",
        "Den fehlenden Dienst beim Buchhaltungsanbieter buchen; gebucht ist: {booked}. Neu verbinden hilft nicht.",
    ),
    "default_client_remedy": (
        "Name another client (<advisor>-<client>) in the step, or book the export service for the default client.",
        "Im Schritt einen anderen Mandanten angeben (<Berater>-<Mandant>) oder für den Standardmandanten den Exportdienst "
        "buchen.",
    ),
    "right_missing": ("The right for this step is missing: {said}", "Das Recht für diesen Schritt fehlt: {said}"),
    "agency_scope_remedy": (
        "Use a key whose scope holds this account, or ask for the scope of this key to be widened.",
        "Einen Schlüssel verwenden, der dieses Konto umfasst, oder den Umfang dieses Schlüssels erweitern lassen.",
    ),
    "rate_limited": (
        "The service allows {limit} requests in {minutes} minutes for this key; they are used up until {until}.",
        "Der Dienst erlaubt für diesen Schlüssel {limit} Anfragen in {minutes} Minuten; sie sind bis {until} aufgebraucht.",
    ),
    "credits_exhausted": ("The credits do not suffice: {said}", "Das Guthaben reicht nicht aus: {said}"),
    "credits_exhausted_remedy": (
        "Top up the credits in the dashboard, then run the step again.",
        "Guthaben im Dashboard aufladen und den Schritt erneut ausführen.",
    ),
    "not_found": ("The service does not know it: {said}", "Der Dienst kennt es nicht: {said}"),
    "refused": ("The service refused (status {status}): {said}", "Der Dienst hat abgelehnt (Status {status}): {said}"),
    "nothing_said": ("it gave no reason", "kein Grund genannt"),
    # The way there and back.
    "never_connected": (
        "The service at {host} cannot be reached: {why}.",
        "Der Dienst unter {host} ist nicht erreichbar: {why}.",
    ),
    "answer_lost": (
        "The service at {host} did not answer: {why}.",
        "Der Dienst unter {host} hat nicht geantwortet: {why}.",
    ),
    "service_failed": (
        "The service failed (status {status}): {said}",
        "Im Dienst ist ein Fehler aufgetreten (Status {status}): {said}",
    ),
    "write_lost": (
        "The request was sent, but no answer came ({why}). Nobody knows whether the service acted.",
        "Die Anfrage wurde gesendet, aber es kam keine Antwort ({why}). Ob der Dienst gehandelt hat, ist unbekannt.",
    ),
    "write_failed": (
        "The service failed while it handled the request (status {status}): {said}. Nobody knows whether it acted.",
        "Der Dienst ist bei der Bearbeitung gescheitert (Status {status}): {said}. Ob er gehandelt hat, ist unbekannt.",
    ),
    "deadline_passed": (
        "No answer within {seconds:g} seconds.",
        "Keine Antwort innerhalb von {seconds:g} Sekunden.",
    ),
    "reply_unreadable": (
        "The service's answer (status {status}, {kind}) is not readable JSON.",
        "Die Antwort des Dienstes (Status {status}, {kind}) ist kein lesbares JSON.",
    ),
    "reply_redirects": (
        "The service answered with a redirect (status {status}), which Kontor does not follow: the key would travel along.",
        "Der Dienst antwortet mit einer Weiterleitung (Status {status}); Kontor folgt ihr nicht, der Schlüssel ginge mit.",
    ),
    "reply_too_large": (
        "The service's answer is larger than {megabytes} MB.",
        "Die Antwort des Dienstes ist größer als {megabytes} MB.",
    ),
    # Why a call was lost, in words for people.
    "why_timeout": ("time ran out", "Zeit abgelaufen"),
    "why_dropped": ("the line was cut", "die Leitung wurde getrennt"),
    "why_no_route": ("no line to it", "keine Verbindung dorthin"),
}
