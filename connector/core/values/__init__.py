"""Exact values: amounts, ids, dates and JSON without rounding or loss of digits.

Each name is imported from its module on first use, so that importing this package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from connector.core.values.dates import Day, DayText, Instant, InstantText, day, instant, iso
    from connector.core.values.ids import Id, UuidText, as_id, cursor_key, is_after, is_uuid, newest
    from connector.core.values.json import decode, decode_items, encode
    from connector.core.values.money import Money, MoneyText, as_money, total

__all__ = [
    "Day",
    "DayText",
    "Id",
    "Instant",
    "InstantText",
    "Money",
    "MoneyText",
    "UuidText",
    "as_id",
    "as_money",
    "cursor_key",
    "day",
    "decode",
    "decode_items",
    "encode",
    "instant",
    "is_after",
    "is_uuid",
    "iso",
    "newest",
    "total",
]

_MODULES = {
    "dates": ("Day", "DayText", "Instant", "InstantText", "day", "instant", "iso"),
    "ids": ("Id", "UuidText", "as_id", "cursor_key", "is_after", "is_uuid", "newest"),
    "json": ("decode", "decode_items", "encode"),
    "money": ("Money", "MoneyText", "as_money", "total"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
