"""Removes a secret from values before they are shown, logged or stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HIDDEN = "[hidden]"


def redact(value: Any, secret: str) -> Any:
    """Replace every occurrence of `secret` in a value, at any depth of nesting."""
    if not secret:
        return value
    if isinstance(value, str):
        return value.replace(secret, HIDDEN)
    if isinstance(value, Mapping):
        return {redact(name, secret): redact(item, secret) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact(item, secret) for item in value]
    return value
