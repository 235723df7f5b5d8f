"""Options for a payment: who got how much, when, and what became of it."""

from __future__ import annotations

from datetime import date
from typing import Any

from lookups.amounts import amount_text

DATE_LENGTH = len("YYYY-MM-DD")


def options(items: list[dict[str, Any]], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """One option per payment, in the service's order: newest first."""
    return [{"value": str(item["id"]), "label": _label(item), "hint": _hint(item)} for item in items if item.get("id")]


def _label(item: dict[str, Any]) -> str:
    money = amount_text(item.get("amount"), item.get("currency_code"))
    return ", ".join(part for part in (item.get("creditor_name"), money) if part) or str(item["id"])


def _hint(item: dict[str, Any]) -> str:
    created_on = str(item.get("created_at") or "")[:DATE_LENGTH]
    return ", ".join(part for part in (item.get("status"), created_on) if part)
