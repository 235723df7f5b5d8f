"""Turns document types into rows: the service does not show whether they come as objects or as plain names."""

from __future__ import annotations

from typing import Any

from connector.core.resources.envelopes import items_in


def shape(reply: Any) -> dict[str, Any]:
    """The document types as objects, a plain name as its `bezeichnung`."""
    return {"items": [{"bezeichnung": item} if isinstance(item, str) else item for item in items_in(reply)]}
