"""Exact values: amounts, ids, dates and JSON that keep every digit from the wire to the wire.

The names below load the module they live in when first used, so that importing this package costs nothing.
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

_HOMES = {
    "dates": ("Day", "DayText", "Instant", "InstantText", "day", "instant", "iso"),
    "ids": ("Id", "UuidText", "as_id", "cursor_key", "is_after", "is_uuid", "newest"),
    "json": ("decode", "decode_items", "encode"),
    "money": ("Money", "MoneyText", "as_money", "total"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
