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
        "{count} ledger connections of the module {module}, {pending} of them not connected.",
        "{count} Verbindungen zur Buchhaltung im Modul {module}, davon {pending} nicht verbunden.",
    ),
    "doctor_pending_remedy": (
        "Finish connecting in the dashboard; until then no step can use them.",
        "Das Verbinden im Dashboard abschließen; bis dahin kann kein Schritt sie benutzen.",
    ),
    "doctor_rights_ok": (
        "{name}: all {count} areas are open.",
        "{name}: alle {count} Bereiche sind offen.",
    ),
    "doctor_rights_permission": ("{name}: the right is missing for {areas}.", "{name}: Das Recht fehlt für {areas}."),
    "doctor_rights_permission_remedy": (
        "The advisor or the client's owner must enable the right, or book the service it belongs to, at the accounting "
        "provider. Connecting again does not help.",
        "Kanzlei oder Mandanteninhaber müssen das Recht beim Buchhaltungsanbieter freigeben oder den zugehörigen Dienst "
        "buchen. Neu verbinden hilft nicht.",
    ),
    "doctor_rights_expired": (
        "{name}: the ledger connection has expired or was revoked ({areas}).",
        "{name}: Die Verbindung ist abgelaufen oder wurde widerrufen ({areas}).",
    ),
    "doctor_rights_expired_remedy": (
        "Connect it again in the dashboard.",
        "Im Dashboard neu verbinden.",
    ),
    "doctor_rights_error": (
        "{name}: the accounting provider failed for {areas}.",
        "{name}: Der Buchhaltungsanbieter ist gescheitert bei {areas}.",
    ),
    "doctor_rights_error_remedy": (
        "Wait and examine again: this is a fault at the provider, not a missing right.",
        "Warten und erneut prüfen: Das ist eine Störung beim Anbieter, kein fehlendes Recht.",
    ),
    "doctor_rights_unknown": ("{name}: {areas} could not be checked.", "{name}: {areas} ließen sich nicht prüfen."),
    "doctor_rights_unknown_remedy": (
        "Clear up the other findings of this ledger connection first, then examine again.",
        "Zuerst die anderen Befunde dieser Verbindung klären, dann erneut prüfen.",
    ),
    "doctor_rights_failed": ("{name}: {why}", "{name}: {why}"),
    "doctor_rights_cost": (
        "Not examined: the permission probe would cost {cost} credits (--rights does it all the same).",
        "Nicht geprüft: Die Rechteprüfung würde {cost} Credits kosten (--rights prüft trotzdem).",
    ),
    "doctor_webhook_url_ours": (
        "Events go to {url}, set from here.",
        "Ereignisse gehen an {url}, von hier aus gesetzt.",
    ),
    "doctor_webhook_url_foreign": (
        "Events go to {url}, which was not set from here: another tool or person did.",
        "Ereignisse gehen an {url}; das wurde nicht von hier aus gesetzt, sondern von anderer Stelle.",
    ),
    "doctor_no_webhook_url": (
        "None is set: no events are sent.",
        "Keine gesetzt: Es werden keine Ereignisse gesendet.",
    ),
    "doctor_balance": (
        "{balance} credits, as the service told {minutes} minutes ago.",
        "{balance} Credits, Stand vor {minutes} Minuten.",
    ),
    "doctor_balance_untold": (
        "The service tells the balance with the first ledger call that costs; none was made.",
        "Der Dienst nennt das Guthaben mit dem ersten kostenpflichtigen Buchhaltungsaufruf; es gab noch keinen.",
    ),
    "doctor_rate_window": (
        "{remaining} of {limit} requests left; the window ends in {minutes} minutes.",
        "{remaining} von {limit} Anfragen übrig; das Fenster endet in {minutes} Minuten.",
    ),
    "topic_credential": ("credential", "Zugangsdaten"),
    "topic_ledger_connections": ("ledger connections", "Buchhaltung"),
    "topic_rights": ("rights", "Rechte"),
    "topic_webhook_url": ("webhook URL", "Webhook-URL"),
    "topic_credits": ("credits", "Guthaben"),
    "topic_rate_window": ("rate window", "Anfragefenster"),
    "topic_wire_names": ("wire names", "Wire-Namen"),
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
    # The command line: what it says about itself.
    "help_kontor": (
        "kontor – one accounting-and-banking service, in every low-code platform.",
        "kontor – ein Dienst für Buchhaltung und Banking, in jeder Low-Code-Plattform.",
    ),
    "help_every_command": (
        "kontor COMMAND --help tells more. Every command takes --json and then prints one JSON document.",
        "kontor BEFEHL --help sagt mehr. Jeder Befehl nimmt --json und gibt dann ein JSON-Dokument aus.",
    ),
    "help_environment": (
        "KONTOR_BASE_URL and KONTOR_API_KEY name the service and the key; KONTOR_LANG=de speaks German.",
        "KONTOR_BASE_URL und KONTOR_API_KEY nennen Dienst und Schlüssel; KONTOR_LANG=en spricht Englisch.",
    ),
    "help_usage": ("usage:", "Aufruf:"),
    "help_arguments": ("arguments", "Argumente"),
    "help_options": ("options", "Optionen"),
    "help_help": ("show this help", "diese Hilfe zeigen"),
    "help_json": ("print one JSON document and nothing else", "ein JSON-Dokument ausgeben und sonst nichts"),
    "commands_look": ("Look around", "Umsehen"),
    "commands_work": ("Work", "Arbeiten"),
    "commands_watch": ("Keep an eye on it", "Im Blick behalten"),
    "commands_try": ("Try it out", "Ausprobieren"),
    "commands_build": ("Extend it", "Erweitern"),
    "command_actions": ("lists what a step of a flow can do, with cost", "zeigt, was ein Schritt tun kann, mit Kosten"),
    "command_triggers": ("lists what can start a flow, with cost", "zeigt, was einen Ablauf starten kann, mit Kosten"),
    "command_lookups": ("lists the dropdowns of the forms", "zeigt die Auswahllisten der Formulare"),
    "command_describe": (
        "shows one action, trigger or lookup whole",
        "zeigt eine Aktion, einen Auslöser oder eine Auswahlliste ganz",
    ),
    "command_run": ("runs an action", "führt eine Aktion aus"),
    "command_options": ("shows what a dropdown offers", "zeigt, was eine Auswahlliste anbietet"),
    "command_parked": (
        "lists and settles writes whose outcome is unknown",
        "zeigt und klärt Vorgänge mit unbekanntem Ausgang",
    ),
    "command_doctor": (
        "checks credential, rights, wire names, webhook URL, credits and rate window",
        "prüft Zugangsdaten, Rechte, Wire-Namen, Webhook-URL, Guthaben und Anfragefenster",
    ),
    "command_credits": (
        "shows balance, spending and forecast, and sets the budget",
        "zeigt Guthaben, Verbrauch und Prognose und setzt das Budget",
    ),
    "command_sandbox": ("starts the simulated service", "startet den simulierten Dienst"),
    "command_new": (
        "writes the files of a new action or trigger",
        "schreibt die Dateien einer neuen Aktion oder eines Auslösers",
    ),
    "command_mcp": (
        "offers every action as a tool to agents, on stdin and stdout (MCP)",
        "bietet Agenten jede Aktion als Werkzeug an, über stdin und stdout (MCP)",
    ),
    "command_unknown": ("There is no command '{name}'.", "Es gibt keinen Befehl „{name}“."),
    "command_missing": ("The command is missing.", "Der Befehl fehlt."),
    "usage_remedy": ("`{command} --help` shows how it is used.", "`{command} --help` zeigt, wie es geht."),
    "argument_missing": ("Missing on the command line: {names}.", "In der Befehlszeile fehlt: {names}."),
    "argument_unknown": ("Not understood: {names}", "Nicht verstanden: {names}"),
    "argument_wrong": ("{name}: {why}", "{name}: {why}"),
    "argument_out_of_range": ("The value is out of range.", "Der Wert liegt außerhalb des Erlaubten."),
    "unexpected": ("Something went wrong inside Kontor: {why}", "In Kontor ist etwas schiefgegangen: {why}"),
    "unexpected_remedy": (
        "This is a mistake of Kontor, not yours. Report the command and this place: {place}.",
        "Das ist ein Fehler in Kontor, nicht Ihrer. Bitte Befehl und diese Stelle melden: {place}.",
    ),
    "unexpected_write": (
        "Something failed inside Kontor ({why}) while the request was on its way. Nobody knows whether the service acted.",
        "In Kontor ist etwas gescheitert ({why}), während die Anfrage unterwegs war. Ob der Dienst gehandelt hat, ist unbekannt.",
    ),
    "store_unusable": (
        "The state in {place} cannot be opened: {why}.",
        "Der Zustand in {place} lässt sich nicht öffnen: {why}.",
    ),
    "store_unusable_remedy": (
        "Let KONTOR_DATA name a folder that can be written to, or a PostgreSQL database.",
        "KONTOR_DATA auf einen beschreibbaren Ordner oder eine PostgreSQL-Datenbank setzen.",
    ),
    "command_export": (
        "writes a package that a platform loads: n8n, Zapier, Make and others",
        "schreibt ein Paket, das eine Plattform lädt: n8n, Zapier, Make und andere",
    ),
    "help_export_platform": (
        "the platform, or all: {names}",
        "die Plattform, oder all für jede: {names}",
    ),
    "help_export_folder": ("where the files go", "wohin die Dateien kommen"),
    "help_export_via": (
        "whom the package talks to: the service itself, or a Kontor host with its guards",
        "mit wem das Paket spricht: mit dem Dienst selbst oder mit einem Kontor-Host und seinen Sicherungen",
    ),
    "help_export_host_url": ("the host's address in the package", "die Adresse des Hosts im Paket"),
    "help_export_lang": (
        "the language of labels where the platform has only one",
        "die Sprache der Beschriftungen, wo die Plattform nur eine hat",
    ),
    "help_export_check": (
        "check the package by the platform's rules; findings end with exit status 5",
        "das Paket nach den Regeln der Plattform prüfen; Befunde enden mit dem Status 5",
    ),
    "platform_unknown": ("There is no export for '{platform}'.", "Für „{platform}“ gibt es keinen Export."),
    "platforms": ("There are: {names}.", "Es gibt: {names}."),
    "export_written": ("{platform}: {count} files in {folder}", "{platform}: {count} Dateien in {folder}"),
    "export_checked": ("{platform}: {count} findings", "{platform}: {count} Befunde"),
    "export_dropped": ("left out: {kind} {id} – {reason}", "ausgelassen: {kind} {id} – {reason}"),
    "export_nowhere": ("Where shall the files go?", "Wohin sollen die Dateien?"),
    "export_nowhere_remedy": (
        "Name a folder with -o, or only check with --check.",
        "Mit -o einen Ordner nennen oder mit --check nur prüfen.",
    ),
    "export_folder": (
        "The files cannot be written to {folder}: {why}.",
        "Die Dateien lassen sich nicht nach {folder} schreiben: {why}.",
    ),
    "export_folder_remedy": ("Name another folder with -o.", "Mit -o einen anderen Ordner nennen."),
    "metavar_platform": ("PLATFORM", "PLATTFORM"),
    "metavar_action": ("ACTION", "AKTION"),
    "metavar_lookup": ("LOOKUP", "LISTE"),
    "metavar_file": ("FILE", "DATEI"),
    "metavar_folder": ("FOLDER", "ORDNER"),
    "metavar_key": ("KEY", "SCHLÜSSEL"),
    "metavar_set": ("NAME=VALUE", "NAME=WERT"),
    "metavar_address": ("ADDRESS", "ADRESSE"),
    "help_run_action": (
        "the action's id (`kontor actions` lists them)",
        "die ID der Aktion (`kontor actions` zeigt sie)",
    ),
    "help_run_input": (
        "all inputs as a JSON object; @FILE reads them from a file, - from standard input",
        "alle Eingaben als JSON-Objekt; @DATEI liest sie aus einer Datei, - von der Standardeingabe",
    ),
    "help_set": (
        "one input; also inside lists and objects: belegzeilen[0].betrag=119.00; a file as content=@receipt.jpg",
        "eine Eingabe; auch in Listen und Objekten: belegzeilen[0].betrag=119.00; eine Datei als content=@beleg.jpg",
    ),
    "help_run_key": (
        "names this intention: with the same key it happens at most once",
        "benennt dieses Vorhaben: Mit demselben Schlüssel geschieht es höchstens einmal",
    ),
    "help_run_dry": ("show the request and send nothing", "die Anfrage zeigen und nichts senden"),
    "help_options_lookup": (
        "the lookup's id (`kontor lookups` lists them)",
        "die ID der Liste (`kontor lookups` zeigt sie)",
    ),
    "help_options_search": ("only options that hold all these words", "nur Einträge mit allen diesen Wörtern"),
    "help_describe_id": ("an action, a trigger or a lookup", "eine Aktion, ein Auslöser oder eine Auswahlliste"),
    "help_describe_kind": ("which of them, where two have the same id", "was davon, falls zwei dieselbe ID haben"),
    "help_parked_settle": ("say what became of a parked write", "sagen, was aus einem geparkten Vorgang wurde"),
    "help_parked_key": ("the key under which it is parked", "der Schlüssel, unter dem er geparkt ist"),
    "help_parked_happened": ("whether the service did it after all", "ob der Dienst es doch getan hat"),
    "help_parked_note": ("who looked, and where", "wer nachgesehen hat, und wo"),
    "help_credits_per_day": (
        "at most N credits a day (0 or none: no bound)",
        "höchstens N Credits am Tag (0 oder none: keine Grenze)",
    ),
    "help_credits_per_flow": (
        "at most N credits a day for each flow (0 or none: no bound)",
        "höchstens N Credits am Tag je Ablauf (0 oder none: keine Grenze)",
    ),
    "help_credits_hold_back": (
        "keep the last N credits for bookings and payments (0 or none: keep none)",
        "die letzten N Credits Buchungen und Zahlungen vorbehalten (0 oder none: keine)",
    ),
    "help_doctor_wire": (
        "list every wire name with its reason and the sentence that leaves it open",
        "jeden Wire-Namen mit Grund und dem Satz zeigen, der ihn offenlässt",
    ),
    "help_doctor_rights": (
        "examine the rights even if the probe costs credits",
        "die Rechte prüfen, auch wenn das Credits kostet",
    ),
    "help_new_kind": ("what to write", "was geschrieben wird"),
    "help_new_id": (
        "its id: small letters, digits and _, as in list_bank_accounts",
        "die ID: Kleinbuchstaben, Ziffern und _, wie in list_bank_accounts",
    ),
    "help_new_area": (
        "where it belongs: ledger, banking, mobility or any (default: any)",
        "wohin sie gehört: ledger, banking, mobility oder any (Vorgabe: any)",
    ),
    "help_new_into": (
        "the checkout to write into (default: the one this Kontor runs from)",
        "der Quellordner, in den geschrieben wird (Vorgabe: der dieses Kontors)",
    ),
    "help_sandbox_host": ("address to listen on (default 127.0.0.1)", "Adresse zum Lauschen (Vorgabe 127.0.0.1)"),
    "help_sandbox_port": (
        "port to listen on, 0 for any free one (default 8320)",
        "Port zum Lauschen, 0 für irgendeinen freien (Vorgabe 8320)",
    ),
    "help_sandbox_seed": (
        "which demo world: the same seed gives the same world (default 1)",
        "welche Beispielwelt: dieselbe Zahl gibt dieselbe Welt (Vorgabe 1)",
    ),
    "help_sandbox_data": (
        "keep the world in this file (default: in memory)",
        "die Welt in dieser Datei aufbewahren (Vorgabe: im Speicher)",
    ),
    "help_sandbox_speed": (
        "how much faster than real time its clock runs (default 1)",
        "wie viel schneller als die wirkliche Zeit die Uhr läuft (Vorgabe 1)",
    ),
    "help_sandbox_loopback": (
        "accept webhook URLs on this machine (for trying things)",
        "Webhook-URLs auf diesem Rechner annehmen (zum Ausprobieren)",
    ),
    "help_sandbox_auto_payments": (
        "let payments run to their end by themselves",
        "Zahlungen von selbst bis ans Ende laufen lassen",
    ),
    "sandbox_ready": (
        "The sandbox answers at {url}   (Ctrl-C stops it)\n\n"
        "Try it from another terminal:\n"
        "  export KONTOR_BASE_URL={url} KONTOR_API_KEY={key}\n"
        "  kontor doctor\n"
        "  kontor run list_bank_accounts\n"
        "  curl {url}/sandbox/        what can be moved and broken\n",
        "Die Sandbox antwortet unter {url}   (Strg-C beendet sie)\n\n"
        "In einem anderen Terminal ausprobieren:\n"
        "  export KONTOR_BASE_URL={url} KONTOR_API_KEY={key}\n"
        "  kontor doctor\n"
        "  kontor run list_bank_accounts\n"
        "  curl {url}/sandbox/        was sich bewegen und stören lässt\n",
    ),
    # The command line: lists and descriptions.
    "kind_action": ("action", "Aktion"),
    "kind_trigger": ("trigger", "Auslöser"),
    "kind_lookup": ("lookup", "Auswahlliste"),
    "repeat_harmless": ("changes nothing", "ändert nichts"),
    "repeat_same_result": ("gives the same result once more", "gibt dasselbe Ergebnis noch einmal"),
    "repeat_duplicates": (
        "does it a second time; --key makes a repeat safe",
        "tut es ein zweites Mal; --key macht die Wiederholung sicher",
    ),
    "presence_required": ("required", "erforderlich"),
    "presence_optional": ("optional", "optional"),
    "presence_advanced": ("advanced", "erweitert"),
    "id_unknown": ("There is nothing with the id '{id}'.", "Es gibt nichts mit der ID „{id}“."),
    "id_unknown_remedy": (
        "`kontor actions`, `kontor triggers` and `kontor lookups` list the ids.",
        "`kontor actions`, `kontor triggers` und `kontor lookups` zeigen die IDs.",
    ),
    "id_ambiguous": ("'{id}' is the id of several: {kinds}.", "„{id}“ ist die ID von mehreren: {kinds}."),
    "id_ambiguous_remedy": ("Say which with --kind.", "Mit --kind sagen, was gemeint ist."),
    "inputs_title": ("Inputs", "Eingaben"),
    "errors_title": ("Errors worth knowing", "Wissenswerte Fehler"),
    "sample_title": ("Sample", "Beispielausgabe"),
    "example_title": ("Example", "Beispiel"),
    "fact_cost": ("Cost", "Kosten"),
    "fact_effect": ("Effect", "Wirkung"),
    "fact_repeat": ("Running it twice", "Zweimal ausgeführt"),
    "fact_duration": ("Takes", "Dauert"),
    "fact_source": ("Started by", "Gestartet durch"),
    "fact_interval": ("Asks", "Fragt"),
    "duration_words": (
        "about {typical} s; given up after {timeout} s",
        "etwa {typical} s; aufgegeben nach {timeout} s",
    ),
    "interval_words": (
        "every {usual} s, at most every {least} s",
        "alle {usual} s, höchstens alle {least} s",
    ),
    "options_values": ("One of: {values}.", "Eines von: {values}."),
    "options_lookup": ("Options: {command}", "Auswahl: {command}"),
    "options_lookup_with": ("Options: {command} (with {needs})", "Auswahl: {command} (mit {needs})"),
    "options_default": ("Default: {default}.", "Vorgabe: {default}."),
    # The command line: running.
    "set_unreadable": ("'{given}' is not NAME=VALUE.", "„{given}“ ist nicht NAME=WERT."),
    "set_remedy": (
        "Write --set name=value, --set lines[0].name=value or --set object.name=value.",
        "--set name=wert schreiben, --set zeilen[0].name=wert oder --set objekt.name=wert.",
    ),
    "set_wrong_shape": (
        "'{path}' contradicts another value given: something on its way is not a list or an object.",
        "„{path}“ widerspricht einem anderen Wert: Etwas auf dem Weg dorthin ist keine Liste oder kein Objekt.",
    ),
    "set_gap": (
        "'{path}' leaves a gap: the next line is [{next}].",
        "„{path}“ lässt eine Lücke: Die nächste Zeile ist [{next}].",
    ),
    "input_not_json": ("The inputs are not JSON: {why}.", "Die Eingaben sind kein JSON: {why}."),
    "input_remedy_json": (
        """Give an object, for example --input '{{"name": "value"}}', or @FILE that holds one.""",
        """Ein Objekt angeben, zum Beispiel --input '{{"name": "wert"}}', oder @DATEI mit einem solchen.""",
    ),
    "file_unreadable": ("The file '{name}' cannot be read: {why}.", "Die Datei „{name}“ ist nicht lesbar: {why}."),
    "file_unreadable_remedy": (
        "Check the name after the @. Nothing was sent.",
        "Den Namen nach dem @ prüfen. Es wurde nichts gesendet.",
    ),
    "run_costs": ("{title}: {cost}", "{title}: {cost}"),
    "run_cost": ("Cost: {cost}.", "Kosten: {cost}."),
    "run_cost_balance": ("Cost: {cost}; balance: {balance}.", "Kosten: {cost}; Guthaben: {balance}."),
    "run_replayed": (
        "Already done under the key '{key}': this is the first result, nothing was sent again.",
        "Unter dem Schlüssel „{key}“ schon geschehen: Dies ist das erste Ergebnis, es wurde nichts erneut gesendet.",
    ),
    "dry_run_done": (
        "Dry run: nothing was sent. The real one: {cost}.",
        "Probelauf: Es wurde nichts gesendet. In echt: {cost}.",
    ),
    "shortened": ("{begin}… ({length} characters)", "{begin}… ({length} Zeichen)"),
    "progress": ("{what} … {seconds} s", "{what} … {seconds} s"),
    "progress_of": ("{what} … {seconds} s of about {typical} s", "{what} … {seconds} s von etwa {typical} s"),
    "rows": ("{count} found", "{count} gefunden"),
    "yes": ("yes", "ja"),
    "no": ("no", "nein"),
    "side_soll": ("Dr", "S"),
    "side_haben": ("Cr", "H"),
    "column_value": ("value", "Wert"),
    "column_label": ("label", "Bezeichnung"),
    "column_hint": ("hint", "Hinweis"),
    "column_key": ("key", "Schlüssel"),
    "column_action": ("action", "Aktion"),
    "column_since": ("since", "seit"),
    "column_inputs": ("inputs", "Eingaben"),
    # The command line: what is parked.
    "parked_none": ("Nothing is parked: every outcome is known.", "Nichts geparkt: Jeder Ausgang ist bekannt."),
    "parked_settle_how": (
        "Look in the ledger or bank whether it happened, then: kontor parked settle KEY --happened yes|no",
        "In Buchhaltung oder Bank nachsehen, ob es geschehen ist, dann: kontor parked settle SCHLÜSSEL --happened yes|no",
    ),
    "parked_settled_yes": (
        "'{key}' is settled: it happened, and will not be sent again.",
        "„{key}“ ist geklärt: Es ist geschehen und wird nicht erneut gesendet.",
    ),
    "parked_settled_no": (
        "'{key}' is settled: it did not happen, and may be run again.",
        "„{key}“ ist geklärt: Es ist nicht geschehen und darf erneut ausgeführt werden.",
    ),
    # The command line: credits.
    "credits_balance": ("Balance: {balance} credits, told {age}", "Guthaben: {balance} Credits, Stand {age}"),
    "credits_forecast": (
        "At {per_day} credits a day it lasts until {day}.",
        "Bei {per_day} Credits am Tag reicht es bis {day}.",
    ),
    "credits_by_day": ("Spent by day", "Verbrauch nach Tagen"),
    "credits_by_action": ("Spent by action", "Verbrauch nach Aktionen"),
    "credits_nothing_spent": (
        "Nothing was spent in the last {days} days.",
        "In den letzten {days} Tagen wurde nichts verbraucht.",
    ),
    "credits_surprise": (
        "The dropdown '{lookup}' should have been free, and cost {cost}.",
        "Die Auswahlliste „{lookup}“ sollte kostenlos sein und hat {cost} gekostet.",
    ),
    "credits_bound_remedy": (
        "Give a number of credits; 0 or none removes the bound.",
        "Eine Zahl von Credits angeben; 0 oder none hebt die Grenze auf.",
    ),
    "budget_title": ("Budget", "Budget"),
    "budget_name_per_day": ("per day", "pro Tag"),
    "budget_name_per_flow": ("per day and flow", "pro Tag und Ablauf"),
    "budget_name_hold_back": ("kept for writes", "Buchungen und Zahlungen vorbehalten"),
    "budget_none": ("no bound", "keine Grenze"),
    "age_now": ("just now", "eben"),
    "age_minutes": ("{count} minutes ago", "vor {count} Minuten"),
    "age_hours": ("{count} hours ago", "vor {count} Stunden"),
    "age_days": ("{count} days ago", "vor {count} Tagen"),
    # The command line: new actions and triggers.
    "new_id_invalid": ("'{id}' cannot be an id.", "„{id}“ kann keine ID sein."),
    "new_id_remedy": (
        "Use 3 to 48 small letters, digits and _, beginning with a letter; not a word of Python.",
        "3 bis 48 Kleinbuchstaben, Ziffern und _ verwenden, mit einem Buchstaben am Anfang; kein Wort von Python.",
    ),
    "new_id_taken": ("'{id}' exists already: {path}.", "„{id}“ gibt es schon: {path}."),
    "new_id_taken_remedy": (
        "Choose another id, or edit that file.",
        "Eine andere ID wählen oder jene Datei bearbeiten.",
    ),
    "new_unwritable": (
        "Below {root} nothing can be written: {why}.",
        "Unter {root} lässt sich nichts schreiben: {why}.",
    ),
    "new_unwritable_remedy": ("Name another folder with --into.", "Mit --into einen anderen Ordner nennen."),
    "new_written": ("Written:", "Geschrieben:"),
    "new_next": (
        "It works as it is and reads a free list of the service. Next:\n"
        "  1. search the three files for 'replace me' and fill in what is meant, in both languages\n"
        "  2. kontor describe {id}\n"
        "  3. python -m pytest tests/manifests {test}",
        "Es funktioniert bereits und liest eine kostenlose Liste des Dienstes. Weiter:\n"
        "  1. in den drei Dateien nach „replace me“ und „Ersetze mich“ suchen und ausfüllen, in beiden Sprachen\n"
        "  2. kontor describe {id}\n"
        "  3. python -m pytest tests/manifests {test}",
    ),
    # The engine: its vault and its stores.
    "vault_wrong_key": (
        "A stored key cannot be opened: it was sealed with another data key.",
        "Ein gespeicherter Schlüssel lässt sich nicht öffnen: Er wurde mit einem anderen Datenschlüssel versiegelt.",
    ),
    "vault_wrong_key_remedy": (
        "Set KONTOR_DATA_KEY to the data key with which it was stored, or put back that kontor.key file; otherwise enter the API key anew.",
        "KONTOR_DATA_KEY auf den Datenschlüssel setzen, mit dem gespeichert wurde, oder jene Datei kontor.key zurücklegen; sonst den API-Schlüssel neu eingeben.",
    ),
    "vault_key_missing": (
        "A data key is needed to store API keys in this database, and there is none.",
        "Um API-Schlüssel in dieser Datenbank zu speichern, wird ein Datenschlüssel gebraucht; es gibt keinen.",
    ),
    "vault_key_invalid": (
        "The data key in {source} is not one: 32 bytes in URL-safe base64 are expected.",
        "Der Datenschlüssel in {source} ist keiner: Erwartet werden 32 Bytes in URL-sicherem Base64.",
    ),
    "vault_key_unreadable": (
        "The data key in {path} cannot be read: {why}.",
        "Der Datenschlüssel in {path} ist nicht lesbar: {why}.",
    ),
    "vault_key_remedy": (
        "Give all hosts of this database the same KONTOR_DATA_KEY, 32 random bytes in URL-safe base64: "
        "head -c 32 /dev/urandom | base64 | tr '+/' '-_'",
        "Allen Hosts dieser Datenbank denselben KONTOR_DATA_KEY geben, 32 zufällige Bytes in URL-sicherem Base64: "
        "head -c 32 /dev/urandom | base64 | tr '+/' '-_'",
    ),
    "credential_revoked": (
        "The credential {id} was revoked.",
        "Die Zugangsdaten {id} wurden widerrufen.",
    ),
    "credential_unknown": ("There is no credential {id}.", "Zugangsdaten {id} gibt es nicht."),
    "credential_known": (
        "This API key is already kept, as the credential {id}.",
        "Dieser API-Schlüssel ist schon hinterlegt, als Zugangsdaten {id}.",
    ),
    # The engine: polling.
    "cursor_of_other_trigger": (
        "The name '{name}' belongs to the trigger {trigger}.",
        "Der Name „{name}“ gehört zum Auslöser {trigger}.",
    ),
    "cursor_name_invalid": (
        "A name has 1 to {most} printable characters.",
        "Ein Name hat 1 bis {most} druckbare Zeichen.",
    ),
    "bank_silent": (
        "The bank connection has brought nothing new for {hours} hours.",
        "Der Bankzugang hat seit {hours} Stunden nichts Neues gebracht.",
    ),
    "bank_silent_remedy": (
        "Look at the bank connection in the dashboard: its consent may have ended, or its refresh may have stopped.",
        "Den Bankzugang im Dashboard ansehen: Die Zustimmung kann abgelaufen sein oder die Aktualisierung stehen.",
    ),
    "poll_under_way": (
        "The trigger is being polled under this name just now, here or by another process.",
        "Der Auslöser wird unter diesem Namen gerade abgefragt, hier oder von einem anderen Prozess.",
    ),
    "busy_remedy": (
        "Wait a moment and try again; nothing was asked and nothing was charged.",
        "Einen Moment warten und erneut versuchen; es wurde nichts abgefragt und nichts berechnet.",
    ),
    # The command line: polling, watching, subscriptions.
    "command_poll": ("asks a trigger once what is new", "fragt einen Auslöser einmal, was neu ist"),
    "command_watch": ("polls on and on, live", "fragt immer wieder ab, live"),
    "command_subscriptions": (
        "who is told of what; dead letters and their replay",
        "wer wovon erfährt; unzustellbare Sendungen und ihre Wiederholung",
    ),
    "metavar_trigger": ("TRIGGER", "AUSLÖSER"),
    "metavar_seconds": ("SECONDS", "SEKUNDEN"),
    "help_poll_trigger": ("the trigger's id, see kontor triggers", "die ID des Auslösers, siehe kontor triggers"),
    "help_poll_start": (
        "where a first poll begins: now (the default), all, or since:ID",
        "wo eine erste Abfrage beginnt: now (jetzt, Vorgabe), all (alles) oder since:ID",
    ),
    "help_poll_name": (
        "the name under which the place in the list is kept; by default one for trigger and inputs",
        "der Name, unter dem die Stelle in der Liste gemerkt wird; sonst einer aus Auslöser und Eingaben",
    ),
    "help_watch_every": (
        "seconds between looks; paid lists are asked only after a free sign",
        "Sekunden zwischen zwei Blicken; bezahlte Listen werden nur nach einem kostenlosen Anzeichen abgerufen",
    ),
    "help_subscriptions_verb": (
        "list (the default), show, end, deliveries (of one), dead (letters), replay (a delivery)",
        "list (Vorgabe), show (zeigen), end (beenden), deliveries (Sendungen), dead (unzustellbare), replay (erneut senden)",
    ),
    "help_subscriptions_id": (
        "the subscription's id; for replay the delivery's",
        "die ID des Abonnements; bei replay die der Sendung",
    ),
    "poll_found": ("{count} new; the list is read up to {cursor}.", "{count} neu; die Liste ist bis {cursor} gelesen."),
    "poll_more": (
        "The list may go on: poll again to read further.",
        "Die Liste geht vielleicht weiter: erneut abfragen, um weiterzulesen.",
    ),
    "watch_begun": (
        "Watching: {title} ({cost} a poll; what costs credits is asked only after a free sign). Ctrl-C ends.",
        "Im Blick: {title} ({cost} je Abfrage; was Credits kostet, nur nach einem kostenlosen Anzeichen). Strg-C beendet.",
    ),
    "watch_status": (
        "next look in {seconds} s · spent so far: {spent}",
        "nächster Blick in {seconds} s · bisher ausgegeben: {spent}",
    ),
    "watch_ended": (
        "Ended. The place is kept; the next watch goes on from here.",
        "Beendet. Die Stelle ist gemerkt; das nächste Mal geht es hier weiter.",
    ),
    "watch_every_invalid": (
        "Between two looks lie {least} seconds to a day.",
        "Zwischen zwei Blicken liegen {least} Sekunden bis ein Tag.",
    ),
    "subscriptions_none": ("There are no subscriptions.", "Es gibt keine Abonnements."),
    "subscription_unknown": ("There is no subscription {id}.", "Ein Abonnement {id} gibt es nicht."),
    "subscription_ended": ("The subscription {id} has ended.", "Das Abonnement {id} ist beendet."),
    "subscription_had_ended": ("The subscription {id} had ended before.", "Das Abonnement {id} war schon beendet."),
    "subscription_is_active": ("active", "aktiv"),
    "subscription_is_ended": ("ended", "beendet"),
    "delivery_not_replayable": (
        "The delivery {id} does not exist, or is on its way anyway.",
        "Die Sendung {id} gibt es nicht, oder sie ist ohnehin unterwegs.",
    ),
    "delivery_replayed": (
        "The delivery {id} is sent again by the running host.",
        "Die Sendung {id} wird vom laufenden Host erneut gesendet.",
    ),
    "delivery_waiting": ("waiting", "wartet"),
    "delivery_done": ("done", "zugestellt"),
    "delivery_dead": ("dead", "unzustellbar"),
    "delivery_ended": ("ended", "entfallen"),
    "column_id": ("id", "ID"),
    "column_trigger": ("trigger", "Auslöser"),
    "column_state": ("state", "Stand"),
    "column_target": ("target", "Ziel"),
    "column_item": ("item", "Element"),
    "column_attempts": ("attempts", "Versuche"),
    "column_answer": ("answer", "Antwort"),
    # The host.
    "command_serve": (
        "serves Kontor over HTTP, with the console",
        "stellt Kontor über HTTP bereit, mit der Konsole",
    ),
    "help_serve_sandbox": (
        "a trial with the simulated service: nothing else is needed, and nothing stays behind",
        "zum Ausprobieren mit dem simulierten Dienst: braucht sonst nichts und lässt nichts zurück",
    ),
    "help_serve_port": (
        "port to listen on (default 8321; the next free one if it is taken)",
        "Port zum Lauschen (Vorgabe 8321; der nächste freie, falls belegt)",
    ),
    "help_serve_no_console": ("HTTP only, no pages for people", "nur HTTP, keine Seiten für Menschen"),
    "help_serve_public": (
        "https address under which others reach this host; events need it",
        "https-Adresse, unter der andere diesen Host erreichen; Ereignisse brauchen sie",
    ),
    "host_ready": ("Kontor is ready: {url}   (Ctrl-C stops it)", "Kontor ist bereit: {url}   (Strg-C beendet es)"),
    "host_token_made": (
        "Host token for calls over HTTP, shown this once: {token}",
        "Host-Token für Aufrufe über HTTP, nur dieses eine Mal gezeigt: {token}",
    ),
    "host_token_invalid": (
        "KONTOR_HOST_TOKEN holds blanks or characters that a header cannot carry.",
        "KONTOR_HOST_TOKEN enthält Leerzeichen oder Zeichen, die ein Header nicht tragen kann.",
    ),
    "host_token_invalid_remedy": (
        "Use letters, digits, '-' and '_'.",
        "Buchstaben, Ziffern, „-“ und „_“ verwenden.",
    ),
    "host_needs_token": (
        "Other machines may reach this host only with a token that somebody has chosen.",
        "Andere Rechner dürfen diesen Host nur mit einem gewählten Token erreichen.",
    ),
    "host_needs_token_remedy": (
        "Set KONTOR_HOST_TOKEN to a long random text, or stay on 127.0.0.1.",
        "KONTOR_HOST_TOKEN auf einen langen zufälligen Text setzen oder bei 127.0.0.1 bleiben.",
    ),
    "host_base_url_remedy": (
        "Set KONTOR_BASE_URL to the service's address, or try it with --sandbox.",
        "KONTOR_BASE_URL auf die Adresse des Dienstes setzen oder es mit --sandbox ausprobieren.",
    ),
}
