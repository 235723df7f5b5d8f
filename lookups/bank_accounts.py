"""Options for a bank account: its name with the end of its IBAN, and what is on it."""

from __future__ import annotations

from datetime import date
from typing import Any

from lookups.amounts import amount_text

IBAN_TAIL = 4


def options(items: list[dict[str, Any]], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """One option per account, in the service's order."""
    return [
        {
            "value": str(item["id"]),
            "label": _label(item),
            "hint": amount_text(item.get("balance"), item.get("currency_code")),
        }
        for item in items
        if item.get("id")
    ]


def _label(item: dict[str, Any]) -> str:
    name = str(item.get("name") or item["id"])
    iban = (item.get("extra") or {}).get("iban")
    return f"{name} (… {str(iban)[-IBAN_TAIL:]})" if iban else name
