"""Fires when a payment is settled, the only final success: `executed` is not yet paid."""

from __future__ import annotations

from typing import Any

from triggers import filters


def fires(event: str, data: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """Whether the payment is settled and passes the filters."""
    return data.get("status") == "settled" and filters.fires(event, data, inputs)
