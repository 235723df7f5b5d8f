"""The sentences themselves, English and German side by side, by name. Blanks are in braces."""

from __future__ import annotations

CATALOGUE: dict[str, tuple[str, str]] = {
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
    # Credential.
    "base_url_missing": ("The base URL of the service is missing.", "Die Basis-URL des Dienstes fehlt."),
    "base_url_missing_remedy": (
        "Set KONTOR_BASE_URL (for example https://service.example), or enter it in the credential.",
        "KONTOR_BASE_URL setzen (zum Beispiel https://service.example) oder in den Zugangsdaten eintragen.",
    ),
    "base_url_invalid": (
        "The base URL is not a plain http(s) address.",
        "Die Basis-URL ist keine einfache http(s)-Adresse.",
    ),
    "base_url_plain_http": (
        "The base URL uses http: the API key would travel unencrypted.",
        "Die Basis-URL benutzt http: der API-Schlüssel würde unverschlüsselt übertragen.",
    ),
    "base_url_plain_http_remedy": (
        "Use https. Plain http is accepted for this machine only (localhost).",
        "https verwenden. Einfaches http ist nur für diesen Rechner erlaubt (localhost).",
    ),
    "api_key_missing": ("The API key is missing.", "Der API-Schlüssel fehlt."),
    "api_key_missing_remedy": (
        "Set KONTOR_API_KEY, or enter the key from the dashboard ('API keys') in the credential.",
        "KONTOR_API_KEY setzen oder den Schlüssel aus dem Dashboard („API-Schlüssel“) in den Zugangsdaten eintragen.",
    ),
    "api_key_invalid": (
        "The API key holds a blank or a character that no key has.",
        "Der API-Schlüssel enthält ein Leerzeichen oder ein Zeichen, das kein Schlüssel hat.",
    ),
    # Wire names.
    "wire_unreadable": (
        "The wire file {path} cannot be read: {why}.",
        "Die Wire-Datei {path} ist nicht lesbar: {why}.",
    ),
    "wire_not_a_mapping": (
        "The wire file {path} must hold names and values, like manifests/wire.yaml.",
        "Die Wire-Datei {path} muss Namen und Werte enthalten, wie manifests/wire.yaml.",
    ),
    "wire_key_unknown": (
        "'{key}' in {source} is not a wire name.",
        "„{key}“ in {source} ist kein Wire-Name.",
    ),
    "wire_key_close": ("Did you mean '{close}'?", "War „{close}“ gemeint?"),
    "wire_key_list": ("The wire names are: {keys}.", "Die Wire-Namen sind: {keys}."),
    "wire_name_invalid": (
        "'{key}' in {source} must be a parameter name (letters, digits, _ . - [ ]) or null.",
        "„{key}“ in {source} muss ein Parametername sein (Buchstaben, Ziffern, _ . - [ ]) oder null.",
    ),
    "wire_body_invalid": (
        "'{key}' in {source} must map input names to body properties.",
        "„{key}“ in {source} muss Eingabenamen auf Body-Eigenschaften abbilden.",
    ),
    "wire_marker_invalid": (
        "'lookup.marker' in {source} must be {{in: query|header, name, value}} or {{in: none}}.",
        "„lookup.marker“ in {source} muss {{in: query|header, name, value}} oder {{in: none}} sein.",
    ),
    "wire_remedy": (
        "Correct the file that KONTOR_WIRE names; manifests/wire.yaml shows every key.",
        "Die in KONTOR_WIRE genannte Datei korrigieren; manifests/wire.yaml zeigt alle Schlüssel.",
    ),
    "wire_name_absent": (
        "This service has no parameter for '{field}': '{key}' is set to null in the wire names.",
        "Dieser Dienst hat keinen Parameter für „{field}“: „{key}“ steht in den Wire-Namen auf null.",
    ),
    "wire_hint": (
        "The service asks for a parameter '{name}'. Set '{key}' to '{name}' in the file that KONTOR_WIRE names "
        "(Kontor assumed '{assumed}').",
        "Der Dienst verlangt einen Parameter „{name}“. In der in KONTOR_WIRE genannten Datei „{key}“ auf „{name}“ setzen "
        "(Kontor nahm „{assumed}“ an).",
    ),
    "body_unwritable": (
        "The inputs cannot be written as JSON: {why}.",
        "Die Eingaben lassen sich nicht als JSON schreiben: {why}.",
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
    # The command line.
    "extra_missing": (
        "This command needs packages that are not installed ([{extra}]).",
        "Dieser Befehl braucht Pakete, die nicht installiert sind ([{extra}]).",
    ),
    "extra_missing_remedy": (
        "Install them: pip install 'kontor-connector[{extra}]'",
        "Bitte installieren: pip install 'kontor-connector[{extra}]'",
    ),
    "port_taken": ("Port {port} cannot be opened: {why}.", "Port {port} lässt sich nicht öffnen: {why}."),
    "port_taken_remedy": (
        "Choose another with --port, or 0 for any free one.",
        "Mit --port einen anderen wählen, 0 für irgendeinen freien.",
    ),
    # The doctor.
    "doctor_key": (
        "{host} accepts the key; it sees {accounts} bank accounts.",
        "{host} akzeptiert den Schlüssel; er sieht {accounts} Bankkonten.",
    ),
    "doctor_ledger_connections": (
        "{count} ledger connections, {pending} of them not connected.",
        "{count} Verbindungen zur Buchhaltung, davon {pending} nicht verbunden.",
    ),
    "doctor_webhook_url": ("Events go to {url}.", "Ereignisse gehen an {url}."),
    "doctor_no_webhook_url": (
        "None is set: no events are sent.",
        "Keine gesetzt: Es werden keine Ereignisse gesendet.",
    ),
    "doctor_balance": (
        "{balance} credits, {reserved} of them reserved for payments.",
        "{balance} Credits, davon {reserved} für Zahlungen reserviert.",
    ),
    "doctor_balance_untold": (
        "The service tells the balance with the first ledger call that costs; none was made.",
        "Der Dienst nennt das Guthaben mit dem ersten kostenpflichtigen Buchhaltungsaufruf; es gab noch keinen.",
    ),
    "doctor_rate_window": (
        "{remaining} of {limit} requests left; the window ends in {minutes} minutes.",
        "{remaining} von {limit} Anfragen übrig; das Fenster endet in {minutes} Minuten.",
    ),
    "doctor_wire": (
        "{assumed} names are assumed, {given} are given by KONTOR_WIRE (--wire lists them).",
        "{assumed} Namen sind angenommen, {given} durch KONTOR_WIRE vorgegeben (--wire zeigt sie).",
    ),
    # Inputs.
    "inputs_not_an_object": ("The inputs must be names with values.", "Die Eingaben müssen Namen mit Werten sein."),
    "name_not_text": ("The name of an input must be text.", "Der Name einer Eingabe muss Text sein."),
    "in_line": ("Line {line}: {text}", "Zeile {line}: {text}"),
    "missing": ("'{field}' is required.", "„{field}“ ist erforderlich."),
    "unknown_input": ("'{field}' is not an input of this step.", "„{field}“ ist keine Eingabe dieses Schritts."),
    "did_you_mean": ("Did you mean '{close}'?", "War „{close}“ gemeint?"),
    "empty": ("It must not be empty.", "Der Wert darf nicht leer sein."),
    "not_text": ("It must be text.", "Der Wert muss Text sein."),
    "too_long": (
        "It has {length} characters; {longest} are allowed.",
        "Der Wert hat {length} Zeichen; erlaubt sind {longest}.",
    ),
    "control_characters": (
        "It holds characters that cannot be printed.",
        "Der Wert enthält nicht druckbare Zeichen.",
    ),
    "not_a_number": ("It must be a number, for example 119.00.", "Der Wert muss eine Zahl sein, zum Beispiel 119.00."),
    "german_number": (
        "Write the number with a point and without grouping: 1234.56.",
        "Die Zahl mit Punkt und ohne Tausendertrennung schreiben: 1234.56.",
    ),
    "not_an_integer": ("It must be a whole number.", "Der Wert muss eine ganze Zahl sein."),
    "too_small": ("It must be at least {least:g}.", "Der Wert muss mindestens {least:g} sein."),
    "too_large": ("It must be at most {most:g}.", "Der Wert darf höchstens {most:g} sein."),
    "not_a_boolean": ("It must be true or false.", "Der Wert muss true oder false sein."),
    "not_a_date": (
        "It must be a date that exists, written YYYY-MM-DD.",
        "Der Wert muss ein bestehendes Datum sein, geschrieben JJJJ-MM-TT.",
    ),
    "not_a_date_time": (
        "It must be a date with time, for example 2026-05-01T10:00:00+02:00 (without a zone: Europe/Berlin).",
        "Der Wert muss ein Datum mit Uhrzeit sein, zum Beispiel 2026-05-01T10:00:00+02:00 (ohne Zone: Europe/Berlin).",
    ),
    "not_a_choice": ("It must be one of: {choices}.", "Der Wert muss einer von diesen sein: {choices}."),
    "not_an_object": ("It must be an object with fields.", "Der Wert muss ein Objekt mit Feldern sein."),
    "not_json": ("It cannot be written as JSON: {why}.", "Der Wert lässt sich nicht als JSON schreiben: {why}."),
    "not_a_list": ("It must be a list.", "Der Wert muss eine Liste sein."),
    "list_empty": ("'{field}' needs at least one entry.", "„{field}“ braucht mindestens einen Eintrag."),
    "list_too_long": ("It may hold at most {most} entries.", "Erlaubt sind höchstens {most} Einträge."),
    "not_base64": (
        "A file must be given as base64, as a data URL or as bytes.",
        "Eine Datei muss als base64, als Data-URL oder als Bytes übergeben werden.",
    ),
    "not_a_file": ("It must be a file that is not empty.", "Der Wert muss eine Datei sein, die nicht leer ist."),
    "file_too_large": ("The file is larger than {megabytes} MB.", "Die Datei ist größer als {megabytes} MB."),
    "too_many_decimals": (
        "{amount} has more decimals than {currency} has ({decimals}).",
        "{amount} hat mehr Nachkommastellen als {currency} ({decimals}).",
    ),
    # Formats.
    "not_a_uuid": (
        "It must be a UUID, for example {example}.",
        "Der Wert muss eine UUID sein, zum Beispiel {example}.",
    ),
    "iban_length": (
        "The IBAN does not have the length that its country prescribes.",
        "Die IBAN hat nicht die für ihr Land vorgeschriebene Länge.",
    ),
    "iban_checksum": (
        "The check digits of the IBAN are wrong: probably a typing error.",
        "Die Prüfziffern der IBAN stimmen nicht: vermutlich ein Tippfehler.",
    ),
    "not_an_iban": ("It is not an IBAN.", "Der Wert ist keine IBAN."),
    "not_a_bic": ("It is not a BIC (8 or 11 characters).", "Der Wert ist kein BIC (8 oder 11 Zeichen)."),
    "not_a_vat_id": (
        "It is not a VAT id (two letters, then digits).",
        "Der Wert ist keine USt-IdNr. (zwei Buchstaben, dann Ziffern).",
    ),
    "german_vat_id_form": (
        "A German VAT id is DE and nine digits, the first not 0.",
        "Eine deutsche USt-IdNr. ist DE und neun Ziffern, die erste nicht 0.",
    ),
    "german_vat_id_checksum": (
        "The check digit of the VAT id is wrong: probably a typing error.",
        "Die Prüfziffer der USt-IdNr. stimmt nicht: vermutlich ein Tippfehler.",
    ),
    "not_a_currency": (
        "It is not a currency of ISO 4217, for example EUR.",
        "Der Wert ist keine Währung nach ISO 4217, zum Beispiel EUR.",
    ),
    "not_an_email": ("It is not an e-mail address.", "Der Wert ist keine E-Mail-Adresse."),
    "not_a_country": (
        "It is not a country of ISO 3166 (two letters), for example DE.",
        "Der Wert ist kein Land nach ISO 3166 (zwei Buchstaben), zum Beispiel DE.",
    ),
    "not_a_client": (
        "It must be <advisor number>-<client number>, for example 29098-10001.",
        "Der Wert muss <Beraternummer>-<Mandantennummer> sein, zum Beispiel 29098-10001.",
    ),
    "not_a_cursor": ("It must be an id made of digits.", "Der Wert muss eine Kennung aus Ziffern sein."),
    "not_an_account_number": (
        "An account number consists of digits.",
        "Eine Kontonummer besteht aus Ziffern.",
    ),
    "not_an_api_path": (
        "It must be a path below the base URL that begins with /v2/, without '..', '//', '?' or '#'.",
        "Der Wert muss ein Pfad unterhalb der Basis-URL sein, der mit /v2/ beginnt, ohne „..“, „//“, „?“ oder „#“.",
    ),
    "not_a_url": ("It is not an address.", "Der Wert ist keine Adresse."),
    "url_not_https": (
        "It must be an https address; the service sends events to nothing else.",
        "Der Wert muss eine https-Adresse sein; an andere sendet der Dienst keine Ereignisse.",
    ),
    "url_with_login": (
        "The address must not hold a user name or password.",
        "Die Adresse darf keinen Benutzernamen und kein Passwort enthalten.",
    ),
    "url_private": (
        "The address is private or local; the service reaches public addresses only.",
        "Die Adresse ist privat oder lokal; der Dienst erreicht nur öffentliche Adressen.",
    ),
    "not_an_id": ("It is not an id.", "Der Wert ist keine Kennung."),
    # Running actions.
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
    "not_parked": (
        "Nothing is parked under the key '{key}'.",
        "Unter dem Schlüssel „{key}“ ist nichts geparkt.",
    ),
    "not_parked_remedy": ("kontor parked lists what is.", "kontor parked zeigt, was geparkt ist."),
    "action_unknown": ("There is no action '{id}'.", "Es gibt keine Aktion „{id}“."),
    "lookup_unknown": ("There is no lookup '{id}'.", "Es gibt keine Auswahlliste „{id}“."),
    "trigger_unknown": ("There is no trigger '{id}'.", "Es gibt keinen Auslöser „{id}“."),
    "list_them": ("`kontor {kind}` lists them.", "`kontor {kind}` zeigt sie."),
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
