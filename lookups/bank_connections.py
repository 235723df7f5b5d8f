"""Options for a bank connection, derived from payments: the service shows no list of bank connections."""

from __future__ import annotations

from datetime import date
from typing import Any


def options(items: list[dict[str, Any]], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """Every bank connection that an item names, once, by the bank's name; the id tells two of one bank apart."""
    names: dict[str, str] = {}
    for item in items:
        if item.get("connection_id"):
            id = str(item["connection_id"])
            names[id] = names.get(id) or str(item.get("provider_name") or "")
    found = [{"value": id, "label": name or id, "hint": id} for id, name in names.items()]
    return sorted(found, key=lambda option: (option["label"].casefold(), option["value"]))
