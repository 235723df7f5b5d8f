"""The host, as the command line starts it."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
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
