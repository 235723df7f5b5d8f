"""What the command line says about itself."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
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
}
