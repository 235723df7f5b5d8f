"""Options for a ledger connection: its name where it has one, and its state."""

from __future__ import annotations

from datetime import date
from typing import Any


def options(items: list[dict[str, Any]], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """Those that work come first; one without a name shows its id."""
    in_order = sorted(items, key=lambda item: (item.get("status") != "connected", item.get("bezeichnung") or "\uffff"))
    return [
        {
            "value": str(item["id"]),
            "label": str(item.get("bezeichnung") or item["id"]),
            "hint": str(item.get("status") or ""),
        }
        for item in in_order
        if item.get("id")
    ]
