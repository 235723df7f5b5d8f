"""Reads back why an attempt failed: the reason is stored in English, and shown in the language of whoever reads it."""

from __future__ import annotations

import re
from functools import cache

from connector.core.messages import Text, filled, quote, template

NAMES = (
    *("send_too_large", "send_no_answer", "send_to_socket", "send_to_address", "send_redirect"),
    *("target_unreadable", "target_not_https", "target_with_login", "target_private"),
    *("vault_wrong_key", "vault_key_invalid", "vault_key_missing", "vault_key_unreadable"),
)
"""The sentences of which the sender stores the English one."""


def is_known(error: str) -> bool:
    """Whether a stored reason is one of the sender's sentences."""
    return any(pattern.fullmatch(error) for _, pattern in _patterns())


def reason_text(error: str) -> Text:
    """Return a stored reason in both languages; what another program said stays as it is."""
    for name, pattern in _patterns():
        match = pattern.fullmatch(error)
        if match is not None:
            return filled(template(name), match.groupdict())
    return quote(error)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(_pattern(template(name).en), re.DOTALL)) for name in NAMES)


def _pattern(english: str) -> str:
    """Return the pattern of a sentence, with a group for each of its blanks."""
    parts = re.split(r"\{(\w+)\}", english)
    return "".join(f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
