"""Keeps the API key out of everything that people and machines may read later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HIDDEN = "[hidden]"


def redact(value: Any, secret: str) -> Any:
    """The same value with every occurrence of `secret` hidden, however deep it sits."""
    if not secret:
        return value
    if isinstance(value, str):
        return value.replace(secret, HIDDEN)
    if isinstance(value, Mapping):
        return {redact(name, secret): redact(item, secret) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact(item, secret) for item in value]
    return value
