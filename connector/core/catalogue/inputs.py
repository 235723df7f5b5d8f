"""What is wrong with an input."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
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
}
