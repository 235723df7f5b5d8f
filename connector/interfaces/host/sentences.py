"""What the host says to its callers, English and German side by side."""

from __future__ import annotations

from connector.core.messages import Text

TOKEN_MISSING = Text("The host token is missing or wrong.", "Das Host-Token fehlt oder ist falsch.")
TOKEN_REMEDY = Text(
    "Send it as 'Authorization: Bearer TOKEN'. It is what KONTOR_HOST_TOKEN says, or the file host.token in the host's "
    "data folder.",
    "Als „Authorization: Bearer TOKEN“ senden. Es steht in KONTOR_HOST_TOKEN oder in der Datei host.token im "
    "Datenordner des Hosts.",
)
KEY_MISSING = Text(
    "The service's API key is missing: the header x-api-key is empty.",
    "Der API-Schlüssel des Dienstes fehlt: Der Header x-api-key ist leer.",
)
KEY_REMEDY = Text("Send it in the header x-api-key.", "Im Header x-api-key mitsenden.")
HEADER_INVALID = Text(
    "The header {name} holds more than {most} characters, or some that cannot be shown.",
    "Der Header {name} hat mehr als {most} Zeichen oder nicht darstellbare.",
)
HEADER_REMEDY = Text("Send plain text in it.", "Einfachen Text darin senden.")
BASE_URL_CLOSED = Text(
    "This host does not let its callers name the service's address.",
    "Dieser Host lässt seine Aufrufer die Adresse des Dienstes nicht wählen.",
)
BASE_URL_CLOSED_REMEDY = Text(
    "Leave out x-kontor-base-url, or start the host with KONTOR_BASE_URL_HEADER=allow.",
    "x-kontor-base-url weglassen oder den Host mit KONTOR_BASE_URL_HEADER=allow starten.",
)
NOT_JSON = Text("The body is not readable as JSON: {why}.", "Der Body ist nicht als JSON lesbar: {why}.")
NOT_AN_OBJECT = Text("The body must be a JSON object.", "Der Body muss ein JSON-Objekt sein.")
BODY_REMEDY = Text(
    "Send a JSON object as /openapi.json describes it.", "Ein JSON-Objekt senden, wie /openapi.json es beschreibt."
)
FIELD_UNKNOWN = Text("The body has no field '{name}'.", "Ein Feld „{name}“ gibt es im Body nicht.")
FIELD_WRONG = Text("'{name}' must be {kind}.", "„{name}“ muss {kind} sein.")
FIELD_MISSING = Text("'{name}' is missing.", "„{name}“ fehlt.")
KINDS: dict[type, Text] = {
    dict: Text("an object", "ein Objekt"),
    str: Text("a text", "ein Text"),
    bool: Text("true or false", "true oder false"),
}
KEYS_DIFFER = Text(
    "The header Idempotency-Key and the body's 'key' say different things.",
    "Der Header Idempotency-Key und „key“ im Body sagen Verschiedenes.",
)
KEYS_DIFFER_REMEDY = Text("Send one of them.", "Nur eines von beiden senden.")
GIVEN_TWICE = Text("'{name}' stands twice in the address.", "„{name}“ steht zweimal in der Adresse.")
QUERY_REMEDY = Text("Send each input once.", "Jede Eingabe einmal senden.")
QUERY_NOT_JSON = Text("'{name}' must be JSON when it stands in the address.", "„{name}“ muss in der Adresse JSON sein.")
TOO_LARGE = Text("The request is larger than {most} kB.", "Die Anfrage ist größer als {most} kB.")
TOO_LARGE_REMEDY = Text("Send less at once.", "Weniger auf einmal senden.")
HEADERS_TOO_LARGE = Text("The headers are larger than {most} kB.", "Die Header sind größer als {most} kB.")
NO_ROUTE = Text("There is nothing at this address.", "Unter dieser Adresse gibt es nichts.")
NO_ROUTE_REMEDY = Text("/openapi.json lists all addresses.", "/openapi.json nennt alle Adressen.")
METHOD = Text("This address does not take {method}.", "Diese Adresse nimmt {method} nicht an.")
UNEXPECTED = Text("Something went wrong inside Kontor.", "In Kontor ist etwas schiefgegangen.")
UNEXPECTED_REMEDY = Text(
    "The host's log tells more under the request id {id}.",
    "Mehr steht im Protokoll des Hosts unter der Anfragenummer {id}.",
)
CALLBACK_ONLY_READS = Text(
    "'{id}' changes something, and only what reads is called back for.",
    "„{id}“ ändert etwas, und zurückgerufen wird nur bei Lesendem.",
)
CALLBACK_ONLY_READS_REMEDY = Text(
    "Leave out callback_url and wait for the answer. Nothing was sent.",
    "callback_url weglassen und die Antwort abwarten. Nichts wurde gesendet.",
)
CALLBACKS_BUSY = Text(
    "Too many calls are waiting to be called back.", "Zu viele Aufrufe warten schon auf ihren Rückruf."
)
CALLBACKS_BUSY_REMEDY = Text("Send it again in a minute.", "In einer Minute erneut senden.")
CALLBACK_TOO_LARGE = Text(
    "The result is larger than the {most} kB that a callback carries.",
    "Das Ergebnis ist größer als die {most} kB, die ein Rückruf trägt.",
)
CALLBACK_TOO_LARGE_REMEDY = Text(
    "Ask for less at once, or without callback_url.", "Weniger auf einmal abfragen, oder ohne callback_url."
)
CALLBACK_STOPPED = Text(
    "The Kontor host was stopped before the service had answered.",
    "Der Kontor-Host wurde beendet, bevor der Dienst geantwortet hatte.",
)
CALLBACK_STOPPED_REMEDY = Text(
    "Run the step again: it only reads, nothing was changed.",
    "Den Schritt erneut ausführen: Er liest nur, nichts wurde geändert.",
)
SUBSCRIPTION_UNKNOWN_REMEDY = Text("GET /v1/subscriptions lists them.", "GET /v1/subscriptions zeigt sie.")
DELIVERY_UNKNOWN = Text("This subscription has no delivery {id}.", "Dieses Abonnement hat keine Zustellung {id}.")
DELIVERY_UNKNOWN_REMEDY = Text(
    "GET /v1/subscriptions/{id}/deliveries lists them.", "GET /v1/subscriptions/{id}/deliveries zeigt sie."
)
DELIVERY_WAITING = Text("The delivery {id} is on its way already.", "Die Zustellung {id} ist schon unterwegs.")
SUBSCRIPTION_ENDED = Text(
    "The subscription has ended: nothing is delivered to it any more.",
    "Das Abonnement ist beendet: Ihm wird nichts mehr zugestellt.",
)
SUBSCRIPTION_ENDED_REMEDY = Text("Subscribe anew.", "Neu abonnieren.")
CREDENTIAL_UNKNOWN_REMEDY = Text("GET /v1/credentials lists them.", "GET /v1/credentials zeigt sie.")
HOOK_UNKNOWN = Text("Nobody listens here.", "Hier hört niemand zu.")
HOOK_BODY = Text("This is no event.", "Das ist kein Ereignis.")
HOOK_BUSY = Text("Too many events at once.", "Zu viele Ereignisse auf einmal.")
HOOK_NOT_STORED = Text("The event could not be stored.", "Das Ereignis konnte nicht gespeichert werden.")
HOOK_REMEDY = Text("Send it again later.", "Später erneut senden.")
HOOK_BODY_REMEDY = Text(
    "Send JSON with 'event', 'data' and 'received_at'.", "JSON mit „event“, „data“ und „received_at“ senden."
)


def fill(text: Text, **values: object) -> Text:
    """The sentence with its blanks filled in; a blank may itself be a sentence."""
    return Text(
        *(
            one.format(**{k: v[at] if isinstance(v, Text) else v for k, v in values.items()})
            for at, one in enumerate(text)
        )
    )
