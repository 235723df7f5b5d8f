"""Forms, and running what was filled in."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    # forms
    "form_title": ("Inputs", "Eingaben"),
    "advanced": ("More inputs", "Weitere Eingaben"),
    "choose_first": ("Fill in first: {fields}", "Zuerst ausfüllen: {fields}"),
    "options_asking": ("Asking the service …", "Der Dienst wird gefragt …"),
    "options_none": ("The list is empty; type a value.", "Die Liste ist leer; einen Wert eintippen."),
    "options_failed": ("The list cannot be had.", "Die Liste ist nicht zu haben."),
    "options_by_hand": ("A value can be typed by hand.", "Ein Wert lässt sich von Hand eintippen."),
    "line_add": ("Add", "Hinzufügen"),
    "line_name": ("Line {number}", "Zeile {number}"),
    "line_remove": ("Remove", "Entfernen"),
    "line_remove_this": ("Remove line {number}", "Zeile {number} entfernen"),
    "sum": ("Sum of the lines: {total}", "Summe der Zeilen: {total}"),
    "sum_fits": ("Sum of the lines: {total} – equals the total", "Summe der Zeilen: {total} – gleich dem Gesamtbetrag"),
    "sum_differs": (
        "Sum of the lines: {total} – off by {difference}",
        "Summe der Zeilen: {total} – Differenz {difference}",
    ),
    "sum_unreadable": ("Not a number in line {lines}", "Keine Zahl in Zeile {lines}"),
    "use_sum": ("Use as total", "Als Gesamtbetrag übernehmen"),
    "file_taken": ("{name}, {size} bytes", "{name}, {size} Bytes"),
    "file_refused": ("Not taken: at most {megabytes} MB.", "Nicht angenommen: höchstens {megabytes} MB."),
    # running
    "run": ("Run", "Ausführen"),
    "dry_run": ("Dry run", "Probelauf"),
    "running": ("Under way …", "Läuft …"),
    "running_for": (
        "Under way for {seconds} s; usually {typical} s.",
        "Läuft seit {seconds} s; üblich sind {typical} s.",
    ),
    "key_note": (
        "Each filled form carries a key of its own: a repeated click or a lost answer never books or pays twice.",
        "Jedes ausgefüllte Formular trägt einen eigenen Schlüssel: Ein zweiter Klick oder eine verlorene Antwort bucht "
        "oder zahlt nie doppelt.",
    ),
    "dry_run_done": (
        "Nothing was sent. This is the request; it would cost: {cost}.",
        "Nichts wurde gesendet. Dies ist die Anfrage; sie würde kosten: {cost}.",
    ),
    "result_title": ("Result", "Ergebnis"),
    "result_none": ("Nothing was run yet.", "Noch wurde nichts ausgeführt."),
    "result_empty": ("The list is empty.", "Die Liste ist leer."),
    "run_done": ("Done.", "Erledigt."),
    "run_replayed": (
        "This had been done before; nothing was repeated.",
        "Das war schon geschehen; nichts wurde wiederholt.",
    ),
    "run_cost": ("Cost: {cost}.", "Kosten: {cost}."),
    "run_balance": ("Left: {balance}.", "Rest: {balance}."),
    "watch_it_settle": ("Watch it settle", "Gutschrift beobachten"),
    "chart_balance": ("Balance of the account", "Kontostand"),
    "chart_movement": ("Movements added up", "Umsätze aufsummiert"),
    "age_0": ("up to 30 days", "bis 30 Tage"),
    "age_1": ("31 to 60 days", "31 bis 60 Tage"),
    "age_2": ("61 to 90 days", "61 bis 90 Tage"),
    "age_3": ("older", "älter"),
    "series_debitors": ("customers", "Debitoren"),
    "series_creditors": ("suppliers", "Kreditoren"),
    "code_title": ("Copy as", "Kopieren als"),
    "code_none": ("The filled form as code.", "Das ausgefüllte Formular als Code."),
    "code_cli": ("Command line", "Kommandozeile"),
    "code_cli_note": ("Takes the credential from the environment.", "Nimmt die Zugangsdaten aus der Umgebung."),
    "code_curl": ("curl", "curl"),
    "code_curl_note": (
        "Calls this host, with its guards. Token and key come from the environment.",
        "Ruft diesen Host auf, mit seinen Sicherungen. Token und Schlüssel kommen aus der Umgebung.",
    ),
    "code_kontor": ("Kontor, Python", "Kontor, Python"),
    "code_kontor_note": ("Takes the credential from the environment.", "Nimmt die Zugangsdaten aus der Umgebung."),
    "code_requests": ("requests, Python", "requests, Python"),
    "code_requests_note": (
        "Calls the service itself, without Kontor's checks and without protection from doing it twice.",
        "Ruft den Dienst selbst auf, ohne Kontors Prüfungen und ohne Schutz vor doppelter Ausführung.",
    ),
}
