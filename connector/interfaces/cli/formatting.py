"""Formats values of an output for display in the user's language."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from connector.interfaces.cli.language import language
from connector.interfaces.result_text import ResultText, has_side


def value_at(item: Any, path: str) -> Any:
    """Return the value at a dotted path, or None."""
    for name in path.split("."):
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def is_number(value: Any) -> bool:
    """Whether a value is right-aligned."""
    return (isinstance(value, int | Decimal) and not isinstance(value, bool)) or has_side(value)


def format_value(value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
    """Format a value of no declared field."""
    return ResultText(language()).value(value, name, row)
