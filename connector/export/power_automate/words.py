"""Sentences of the Power Automate connector that no manifest holds, in English and German."""

from __future__ import annotations

from connector.core.messages import Text

API_KEY = Text("API key", "API-Schlüssel")
API_KEY_HELP = Text(
    "Created in the service's dashboard under API keys.",
    "Wird im Dashboard des Dienstes unter „API-Schlüssel“ angelegt.",
)
HOST_TOKEN = Text("Host token", "Host-Token")
HOST_TOKEN_HELP = Text(
    "The token of the Kontor host, printed at its first start or set as KONTOR_HOST_TOKEN.",
    "Das Token des Kontor-Hosts, beim ersten Start ausgegeben oder als KONTOR_HOST_TOKEN gesetzt.",
)
BODY, BODY_HELP = Text("Content", "Inhalt"), Text("What is sent to the service.", "Was an den Dienst gesendet wird.")
INPUTS, INPUTS_HELP = Text("Inputs", "Eingaben"), Text("The fields of this step.", "Die Felder dieses Schritts.")
KEY = Text("Key", "Schlüssel")
KEY_HELP = Text(
    "Makes a repeated run safe: the same key with the same inputs gives the first result once more.",
    "Macht eine Wiederholung sicher: derselbe Schlüssel mit denselben Eingaben liefert noch einmal das erste Ergebnis.",
)
FIXED, FIXED_HELP = Text("Fixed", "Fest"), Text("Always sent like this.", "Wird immer so gesendet.")
CURSOR = Text("Cursor", "Lesestand")
CURSOR_HELP = Text(
    "Where the list is read on; the platform keeps it.", "Ab wo weitergelesen wird; die Plattform merkt es."
)
TARGET = Text("Callback URL", "Rückruf-URL")
TARGET_HELP = Text(
    "Where the host delivers to; filled in by the platform.", "Wohin der Host liefert; füllt die Plattform aus."
)
TRIGGER, TRIGGER_HELP = Text("Trigger", "Auslöser"), Text("Which trigger is meant.", "Welcher Auslöser gemeint ist.")
SUBSCRIPTION = Text("Subscription", "Abonnement")
SUBSCRIPTION_HELP = Text("The subscription that was made.", "Das angelegte Abonnement.")
SECRET = Text("Signing secret", "Signaturgeheimnis")
SECRET_HELP = Text("Signs what the host delivers.", "Signiert, was der Host liefert.")
END_SUBSCRIPTION = Text("End a subscription", "Abonnement beenden")
END_HELP = Text("The platform calls this when a flow is switched off.", "Ruft die Plattform auf, wenn ein Flow endet.")
ENDED = Text("The subscription has ended", "Das Abonnement ist beendet")
ITEMS, ITEMS_HELP = Text("Items", "Einträge"), Text("What was found, in order.", "Was gefunden wurde, der Reihe nach.")
OPTIONS, OPTIONS_HELP = Text("Options", "Auswahl"), Text("The entries of the list.", "Die Einträge der Liste.")
VALUE, VALUE_HELP = Text("Value", "Wert"), Text("What is sent when it is chosen.", "Was bei Auswahl gesendet wird.")
LABEL, LABEL_HELP = Text("Label", "Bezeichnung"), Text("What the list shows.", "Was die Liste zeigt.")
OUTPUT, OUTPUT_HELP = (
    Text("Output", "Ausgabe"),
    Text("What the step found or made.", "Was der Schritt fand oder anlegte."),
)
CREDITS, CREDITS_HELP = (
    Text("Credits", "Credits"),
    Text("What it cost, and what is left.", "Was es kostete und was bleibt."),
)
COST, COST_HELP = Text("Cost", "Kosten"), Text("Credits that this run cost.", "Credits, die dieser Lauf kostete.")
BALANCE = Text("Balance", "Guthaben")
BALANCE_HELP = Text("Credits left, where the service tells.", "Verbleibende Credits, wo der Dienst sie nennt.")
REPLAYED = Text("Replayed", "Wiederholt")
REPLAYED_HELP = Text("Whether the key had been run before.", "Ob der Schlüssel schon gelaufen war.")
FREE, FREE_HELP = Text("Answer", "Antwort"), Text("The answer as it came.", "Die Antwort, wie sie kam.")
DONE = Text("Success", "Erfolg")
RESPONSES = {
    "400": Text("An input is wrong", "Eine Eingabe ist falsch"),
    "401": Text("The key was refused", "Der Schlüssel wurde abgelehnt"),
    "403": Text("A right or a booking is missing", "Ein Recht oder eine Buchung fehlt"),
    "404": Text("There is no such thing", "Das gibt es nicht"),
    "429": Text("Too many requests", "Zu viele Anfragen"),
}
AS_GIVEN = Text("{label} as the service gives it in {name}.", "{label}, wie der Dienst sie in {name} liefert.")
KNOWN = Text("Known values: {values}.", "Bekannte Werte: {values}.")
MAY_BE_EMPTY = Text("May be empty.", "Kann leer sein.")
