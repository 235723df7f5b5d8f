"""The words of the Zapier package that no manifest holds, English and German side by side."""

from __future__ import annotations

from connector.core.messages import Text

SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})


def headline(text: Text, lang: str) -> str:
    """A label as Zapier wants it: in English every word begins with a capital, German keeps its own."""
    said = text.in_(lang)
    if lang == "de":
        return said[:1].upper() + said[1:]
    words = said.split(" ")
    return " ".join(
        word if place and word in SMALL else word[:1].upper() + word[1:] for place, word in enumerate(words)
    )


def noun(text: Text, lang: str) -> str:
    """What an action is about: its title without the verb."""
    said = headline(text, lang)
    if lang == "de":
        return " ".join(said.split(" ")[:-1]) or said
    return " ".join(said.split(" ")[1:]) or said


BASE_URL = Text("Base URL", "Basis-URL")
BASE_URL_HELP = Text(
    "Address of the service, beginning with https://, without /v2.",
    "Adresse des Dienstes, beginnend mit https://, ohne /v2.",
)
API_KEY = Text("API Key", "API-Schlüssel")
API_KEY_HELP = Text(
    "Create one in the service's dashboard under API keys.",
    "Im Dashboard des Dienstes unter API-Schlüssel anlegen.",
)
HOST_URL = Text("Kontor Host URL", "Adresse des Kontor-Hosts")
HOST_URL_HELP = Text("Address of your Kontor host.", "Adresse Ihres Kontor-Hosts.")
HOST_TOKEN = Text("Kontor Host Token", "Token des Kontor-Hosts")
HOST_TOKEN_HELP = Text("The token that the host was started with.", "Das Token, mit dem der Host gestartet wurde.")
KEY = Text("Key Against Repeats", "Schlüssel gegen Wiederholung")
KEY_HELP = Text(
    "Something that is different for each run, best the ID of what triggered the Zap. With the same key and the same "
    "values the step happens only once, also when Zapier replays it.",
    "Etwas, das bei jedem Lauf anders ist, am besten die ID dessen, was den Zap ausgelöst hat. Mit demselben Schlüssel "
    "und denselben Werten geschieht der Schritt nur einmal, auch wenn Zapier ihn wiederholt.",
)
REPLACE = Text("Replace a Foreign URL", "Fremde URL ersetzen")
REPLACE_HELP = Text(
    "The service has one webhook URL for everybody. Choose yes only if the address that is set now may be replaced; it "
    "is put back when the Zap is switched off.",
    "Der Dienst hat nur eine Webhook-URL für alle. Nur mit Ja beantworten, wenn die jetzt gesetzte Adresse ersetzt "
    "werden darf; sie wird zurückgesetzt, wenn der Zap abgeschaltet wird.",
)
ONE_URL = Text(
    "The service has one webhook URL for everybody: while this Zap is on, no other Zap or program gets events.",
    "Der Dienst hat nur eine Webhook-URL für alle: Solange dieser Zap an ist, bekommt kein anderer Zap und kein "
    "anderes Programm Ereignisse.",
)
URL_TAKEN = Text(
    "The service's webhook URL is already set to {url}. It belongs to another Zap or program, which would get no more "
    "events. If it may be replaced, choose yes under 'Replace a Foreign URL'.",
    "Die Webhook-URL des Dienstes ist schon auf {url} gesetzt. Sie gehört einem anderen Zap oder Programm, das dann "
    "keine Ereignisse mehr bekäme. Darf sie ersetzt werden, unter „Fremde URL ersetzen“ Ja wählen.",
)
TOO_MANY_DIGITS = Text(
    "It has more than 15 digits; Zapier would change the last ones.",
    "Die Zahl hat mehr als 15 Ziffern; Zapier würde die letzten verändern.",
)
NOT_HTTPS = Text(
    "The address must begin with https://: the key must not travel in the clear.",
    "Die Adresse muss mit https:// beginnen: Der Schlüssel darf nicht unverschlüsselt reisen.",
)
RATE_LIMITED = Text(
    "The service allows 200 requests in 15 minutes for this key; they are used up.",
    "Der Dienst erlaubt für diesen Schlüssel 200 Anfragen in 15 Minuten; sie sind aufgebraucht.",
)
WRITE_LOST = Text(
    "The service failed while it handled the request (status {status}): {said}. Nobody knows whether it acted.",
    "Der Dienst ist bei der Bearbeitung gescheitert (Status {status}): {said}. Ob er gehandelt hat, ist unbekannt.",
)
UNREADABLE = Text(
    "The service's answer has a form that this step does not understand.",
    "Die Antwort des Dienstes hat eine Form, die dieser Schritt nicht versteht.",
)
ACCOUNTS = Text("{count} bank accounts", "{count} Bankkonten")

ONLY_FIRST = "A line cannot hold lines of its own on Zapier: one of them can be entered, under its fields' own names."
DECIMALS = "How many decimals the currency has is not checked before sending; the service checks it."
SLOW = "Zapier ends a call after 30 seconds, and this one may take longer; a package made with --via host waits for it."
SLOW_WRITE = "Zapier ends a call after 30 seconds, and this one may take longer: a host calls back for reads only."
NEEDS_MEMORY = (
    "It compares with the look before, and Zapier keeps nothing between two polls but ids; a package made with "
    "--via host has it."
)
NO_REQUEST = "It reads what a Kontor host keeps; the service has no call for it. A package made with --via host has it."
LOOKS_BACK = (
    "Each poll reads the last {days} days: a transaction that comes in later than that after its value date is not "
    "seen. A package made with --via host reads on from the last id."
)
DAILY = "Fires once a day while the trouble lasts, because Zapier keeps nothing between two polls but ids."
NO_CURSOR = "Zapier remembers by itself what has fired; the trigger cannot say what the status was before."
NOT_GIVEN_BACK = (
    "The service's webhook URL cannot be emptied: it stays set when the last Zap is switched off, unless it replaced "
    "another address, which is then put back."
)
NO_KEY = (
    "Zapier's replay of a failed run may book or pay twice: nothing is remembered between two runs. Switch replay off "
    "for such Zaps, or use a package made with --via host."
)
NOT_THERE = "The service that this package was made for has no such parameter."
