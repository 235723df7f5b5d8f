"""What the commands say while and after they work."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
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
}
