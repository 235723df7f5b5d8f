"""Fires when a payment has failed or the bank has rejected it."""

from __future__ import annotations

from typing import Any

from triggers import filters


def fires(event: str, data: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """Whether the payment came to nothing and passes the filters."""
    return data.get("status") in ("failed", "rejected") and filters.fires(event, data, inputs)
