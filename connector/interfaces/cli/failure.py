"""How a command ends that could not do what was asked: a message, a remedy, an exit status. Never a traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from traceback import extract_tb
from typing import Any

from connector.core.errors import KontorError
from connector.core.messages import quote, say
from connector.core.redact import redact
from connector.interfaces.cli.language import language
from connector.interfaces.cli.output import harmless, print_json
from connector.interfaces.cli.paint import paint

LEAST_SECRET = 8
"""A shorter text is no key: hiding it wherever it occurs would only make messages unreadable."""


def failed(error: Exception, *, as_json: bool) -> int:
    """Says what went wrong and what to do, and returns the exit status."""
    known = error if isinstance(error, KontorError) else unexpected(error)
    print_error(known, as_json=as_json)
    return known.exit_status


def print_error(error: KontorError, *, as_json: bool) -> None:
    """Prints an error: as a document, or in words on stderr."""
    lang = language()
    shown = without_key(error.as_dict(lang))
    if as_json:
        print_json({"ok": False, "error": shown})
        return
    field = f"{shown['field']}: " if shown["field"] else ""
    print(paint(harmless(f"{field}{shown['message']}"), "red", sys.stderr), file=sys.stderr)
    print(f"→ {harmless(shown['remedy'][lang])}", file=sys.stderr)
    if error.reconnect_url:
        print(f"→ {harmless(error.reconnect_url)}", file=sys.stderr)


def without_key(value: Any) -> Any:
    """The value without the API key, should it have got in: by an input that echoes it, say."""
    key = os.environ.get("KONTOR_API_KEY", "").strip()
    return redact(value, key) if len(key) >= LEAST_SECRET else value


def unexpected(error: Exception) -> KontorError:
    """An error that nobody foresaw: where it happened, for whoever mends it."""
    trace = extract_tb(error.__traceback__)
    place = f"{Path(trace[-1].filename).name}:{trace[-1].lineno}" if trace else "?"
    message = say("unexpected", why=quote(f"{type(error).__name__}: {error}"[:300]))
    return KontorError(message, remedy=say("unexpected_remedy", place=place), outcome="unknown")
