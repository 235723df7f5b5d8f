"""The poll triggers that need to remember no more than one id or one date: what a platform can keep by itself.

All others remember a state per row, which only Kontor does. What a row has to pass before it fires is data here, so
that each platform says it in its own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class SingleCursor:
    """How far a list has been read."""

    by: str
    """The field that only grows: `id`, by which the service lists on, or `created_at`."""
    waits_for: str | None = None
    """Rows of this status, and all behind them, wait until it changes …"""
    not_if: str | None = None
    """… unless this input is switched on."""
    leaves_out: str | None = None
    """Rows marked by this field do not fire …"""
    but_if: str | None = None
    """… unless this input is switched on."""


SINGLE_CURSORS: Mapping[str, SingleCursor] = MappingProxyType(
    {
        "new_transaction": SingleCursor(
            "id",
            waits_for="pending",
            not_if="include_pending",
            leaves_out="duplicated",
            but_if="include_duplicates",
        ),
        "new_payment": SingleCursor("id"),
        "new_bank_account": SingleCursor("created_at"),
        "new_mobility_customer": SingleCursor("created_at"),
    }
)
ADDED = "_id"
"""What a platform adds to an item by itself; further fields of Kontor's own need Kontor."""
