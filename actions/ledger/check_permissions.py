"""Turns the permission probe into rows, one per area: how the service arranges its entries is not shown."""

from __future__ import annotations

from typing import Any

from connector.core.resources.envelopes import areas_in


def shape(reply: Any) -> dict[str, Any]:
    """The entries as a list, each naming its area."""
    return {"items": [{"area": area, **entry} for area, entry in areas_in(reply).items()]}
