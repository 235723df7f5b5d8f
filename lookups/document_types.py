"""Options for a document type: the service does not show whether they come as objects or as plain names."""

from __future__ import annotations

from datetime import date
from typing import Any


def options(items: list[Any], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """One option per document type that has a name or an id."""
    return [option for item in items if (option := _option(item)) is not None]


def _option(item: Any) -> dict[str, str] | None:
    if isinstance(item, str):
        item = {"bezeichnung": item}
    value = item.get("id") or item.get("bezeichnung")
    if not value:
        return None
    return {"value": str(value), "label": str(item.get("bezeichnung") or value), "hint": ""}
