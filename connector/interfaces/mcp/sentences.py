"""What the MCP server says to agents and to the people behind them, English and German side by side."""

from __future__ import annotations

from connector.core.messages import Text

INSTRUCTIONS = Text(
    "Kontor reads and writes one accounting-and-banking service. Fill dropdown fields with list_options: each tool's "
    "fields name their lookup. Reading costs the credits that a tool's description names; a repeated write may book "
    "or pay twice, so give every write a key and use the same key when you try again. Where a tool asks for confirm, "
    "show the person what will be sent first. When an outcome is unknown, do not repeat the call without its key.",
    "Kontor liest und schreibt bei einem Buchhaltungs- und Bankdienst. Auswahlfelder mit list_options füllen: die "
    "Felder der Werkzeuge nennen ihre Liste. Lesen kostet die Credits, die das Werkzeug nennt; ein wiederholter "
    "Schreibvorgang kann doppelt buchen oder zahlen, deshalb jedem einen Schlüssel geben und bei einem neuen Versuch "
    "denselben verwenden. Wo ein Werkzeug confirm verlangt, der Person vorher zeigen, was gesendet wird. Bei "
    "unbekanntem Ausgang den Aufruf nicht ohne seinen Schlüssel wiederholen.",
)
COST = Text("Cost: {credits} credits.", "Kosten: {credits} Credits.")
FREE = Text("Free.", "Kostenlos.")
TAKES = Text("Takes about {seconds} seconds.", "Dauert etwa {seconds} Sekunden.")
LOOKUP = Text("Options: list_options with lookup '{id}'.", "Auswahl: list_options mit lookup „{id}“.")
LOOKUP_WITH = Text(
    "Options: list_options with lookup '{id}' and inputs {inputs}.",
    "Auswahl: list_options mit lookup „{id}“ und inputs {inputs}.",
)
CONFIRM = Text(
    "Set to true only after the person has agreed to exactly these values. Without it nothing is sent; the answer "
    "shows the request that would be.",
    "Erst auf true setzen, wenn die Person genau diesen Werten zugestimmt hat. Ohne wird nichts gesendet; die Antwort "
    "zeigt die Anfrage, die gesendet würde.",
)
KEY = Text(
    "Names this one run, for example task-17-step-2. The same key with the same values never happens twice; use it "
    "again when an answer got lost.",
    "Benennt diesen einen Lauf, zum Beispiel task-17-step-2. Derselbe Schlüssel mit denselben Werten geschieht nie "
    "zweimal; bei verlorener Antwort wieder verwenden.",
)
NOT_CONFIRMED = Text(
    "Nothing was sent. This call changes books or moves money, and a repeat would do so again.",
    "Es wurde nichts gesendet. Dieser Aufruf ändert Bücher oder bewegt Geld, und eine Wiederholung täte es erneut.",
)
NOT_CONFIRMED_REMEDY = Text(
    "Show the person the request below; when they agree, call again with the same values and confirm: true.",
    "Der Person die Anfrage unten zeigen; stimmt sie zu, mit denselben Werten und confirm: true erneut aufrufen.",
)
OPTIONS_TITLE = Text("List options", "Auswahl auflisten")
OPTIONS = Text(
    "Lists the values that a field of a tool accepts, with labels: ledger connections, cash books, bank accounts, "
    "payments and so on. Free, and cached.",
    "Listet die Werte auf, die ein Feld eines Werkzeugs annimmt, mit Bezeichnungen: Verbindungen zur Buchhaltung, "
    "Kassen, Bankkonten, Zahlungen und so weiter. Kostenlos und zwischengespeichert.",
)
OPTIONS_LOOKUP = Text("Which list.", "Welche Liste.")
OPTIONS_INPUTS = Text(
    "What the list depends on, for example the ledger connection: {needs}",
    "Wovon die Liste abhängt, zum Beispiel von der Verbindung zur Buchhaltung: {needs}",
)
OPTIONS_SEARCH = Text("Only options that hold these words.", "Nur Einträge, die diese Wörter enthalten.")
TOOL_UNKNOWN = Text("There is no tool '{name}'.", "Es gibt kein Werkzeug „{name}“.")
CONFIRM_WRONG = Text("confirm is true or false.", "confirm ist true oder false.")
WORKING = Text("{title}: {seconds} s", "{title}: {seconds} s")
