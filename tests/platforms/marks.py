"""Bodies without the marks by which a payment is found again: these differ from run to run."""

from __future__ import annotations

from typing import Any


def unmarked(body: Any) -> Any:
    """A body without the marks by which a payment is found again."""
    if not isinstance(body, dict):
        return body
    inner = {name: unmarked(value) for name, value in body.items() if not name.startswith("kontor_")}
    return {name: value for name, value in inner.items() if value != {} or body[name] == {}}
