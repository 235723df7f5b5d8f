"""Options for a document type, whose form the service does not show: the plausible names of its fields are tried."""

from __future__ import annotations

from datetime import date
from typing import Any

IDS = ("id", "code", "kuerzel")
NAMES = ("bezeichnung", "name")


def options(items: list[Any], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """One option per document type that has a name or an id."""
    return [option for item in items if (option := _option(item)) is not None]


def _option(item: Any) -> dict[str, str] | None:
    label = next((item[name] for name in NAMES if item.get(name)), None)
    value = next((item[name] for name in IDS if item.get(name)), label)
    if value is None:
        return None
    return {"value": str(value), "label": str(label or value), "hint": ""}
