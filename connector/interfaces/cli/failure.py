"""Prints errors with message and remedy, never a traceback, and returns the exit status."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from traceback import extract_tb
from typing import Any

from connector.core.errors import KontorError
from connector.core.messages import quote, say
from connector.core.service.credential import redact
from connector.interfaces.cli.language import colored, language
from connector.interfaces.cli.output import print_json, printable

MIN_SECRET_LENGTH = 8
"""Shorter texts are no keys; redacting them would garble messages."""


def handle_error(error: Exception, *, as_json: bool) -> int:
    """Print the error and return its exit status."""
    reported = error if isinstance(error, KontorError) else unexpected_error(error)
    print_error(reported, as_json=as_json)
    return reported.exit_status


def print_error(error: KontorError, *, as_json: bool) -> None:
    """Print an error as JSON, or as text on stderr."""
    lang = language()
    shown = redact_key(error.as_dict(lang))
    if as_json:
        print_json({"ok": False, "error": shown})
        return
    problems = shown["details"].get("problems", []) if isinstance(shown["details"], dict) else []
    wrong = [(problem["field"], problem["message"][lang]) for problem in problems]
    for field, message in wrong or [(shown["field"], shown["message"])]:
        print(colored(printable(f"{field}: {message}" if field else message), "red", sys.stderr), file=sys.stderr)
    remedy = say("several_wrong_remedy").in_(lang) if len(wrong) > 1 else shown["remedy"][lang]
    print(f"→ {printable(remedy)}", file=sys.stderr)
    if error.reconnect_url:
        print(f"→ {printable(error.reconnect_url)}", file=sys.stderr)


def redact_key(value: Any) -> Any:
    """Return the value with the API key redacted."""
    key = os.environ.get("KONTOR_API_KEY", "").strip()
    return redact(value, key) if len(key) >= MIN_SECRET_LENGTH else value


def unexpected_error(error: Exception) -> KontorError:
    """Wrap an unexpected exception, with file and line for the bug report."""
    trace = extract_tb(error.__traceback__)
    place = f"{Path(trace[-1].filename).name}:{trace[-1].lineno}" if trace else "?"
    message = say("unexpected", why=quote(f"{type(error).__name__}: {error}"[:300]))
    return KontorError(message, remedy=say("unexpected_remedy", place=place), outcome="unknown")
