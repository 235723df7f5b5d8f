"""Sentences of the Make app that no manifest holds, in English and German."""

from __future__ import annotations

from connector.core.messages import Text

AREAS = {
    "ledger": Text("Ledger", "Buchhaltung"),
    "banking": Text("Banking", "Bank"),
    "mobility": Text("Mobility", "Mobilität"),
    "any": Text("Other", "Sonstiges"),
}
API_KEY = Text("API key", "API-Schlüssel")
API_KEY_HELP = Text(
    "Created in the service's dashboard under API keys. It is sent in the header x-api-key and nowhere else.",
    "Wird im Dashboard des Dienstes unter „API-Schlüssel“ angelegt. Er geht nur im Header x-api-key hinaus.",
)
BASE_URL = Text("Base URL", "Basis-URL")
BASE_URL_HELP = Text(
    "The service's address, without a slash at the end.", "Adresse des Dienstes, ohne Schrägstrich am Ende."
)
HOST_URL = Text("Kontor host", "Kontor-Host")
HOST_URL_HELP = Text(
    "The address of your Kontor host, without a slash at the end.",
    "Adresse Ihres Kontor-Hosts, ohne Schrägstrich am Ende.",
)
HOST_TOKEN = Text("Host token", "Host-Token")
HOST_TOKEN_HELP = Text(
    "The token of the Kontor host, printed at its first start or set as KONTOR_HOST_TOKEN.",
    "Das Token des Kontor-Hosts, beim ersten Start ausgegeben oder als KONTOR_HOST_TOKEN gesetzt.",
)
LIMIT = Text("Limit", "Limit")
LIMIT_HELP = Text("The most items that one run returns.", "Wie viele Einträge ein Lauf höchstens liefert.")
KEY = Text("Key", "Schlüssel")
KEY_HELP = Text(
    "Makes a repeated run safe: the same key with the same inputs gives the first result once more. Map the "
    "execution's id and the number of this step.",
    "Macht eine Wiederholung sicher: derselbe Schlüssel mit denselben Eingaben liefert noch einmal das erste Ergebnis. "
    "Die ID der Ausführung und die Nummer dieses Schritts zuordnen.",
)
NAME, VALUE = Text("Name", "Name"), Text("Value", "Wert")
PLAIN_DATE = Text(
    "Written as YYYY-MM-DD; map a date with formatDate.",
    "Geschrieben als JJJJ-MM-TT; ein Datum mit formatDate zuordnen.",
)
BASE64 = Text(
    "As base64 text: map the file's data with toString and base64.",
    "Als Base64-Text: die Daten der Datei mit toString und base64 zuordnen.",
)
JSON_BODY = Text("As JSON text.", "Als JSON-Text.")
FOREIGN_URL = Text(
    "The service has one webhook URL for all, and it is in use by somebody else. Nothing was changed. Several "
    "scenarios on one organisation need a Kontor host, which hands every event to each of them.",
    "Der Dienst hat eine einzige Webhook-URL, und sie gehört schon jemand anderem. Es wurde nichts geändert. Mehrere "
    "Szenarien einer Organisation brauchen einen Kontor-Host, der jedes Ereignis an alle weitergibt.",
)
