"""Removes a secret from values before they are shown, logged or stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

HIDDEN = "[hidden]"
_HOOK = re.compile(r"(/hooks/)[^/?#\s]+")
_PATH = re.compile(r"(https?://[^/?#\s]+)[/?#]\S*", re.IGNORECASE)


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


def hide_hook_token(url: str) -> str:
    """Return a webhook URL of a host without its token, which lets anybody send events."""
    return _HOOK.sub(rf"\1{HIDDEN}", url)


def hide_paths(value: Any) -> Any:
    """Return a value in which URLs show only their host, at any depth of nesting: their paths may hold secrets."""
    return _each_text(value, lambda text: _PATH.sub(rf"\1/{HIDDEN}", text))


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _each_text(item, change) for name, item in value.items()}
    return [_each_text(item, change) for item in value] if isinstance(value, list | tuple) else value
