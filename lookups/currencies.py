"""Options for a currency: those of ISO 4217, the euro first."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

FIRST = "EUR"


def options(items: list[dict[str, Any]], inputs: dict[str, Any], today: date) -> list[dict[str, str]]:
    """One option per currency, with its smallest amount as hint. Metals and test codes have none and are left out."""
    from iso4217 import Currency  # here, because only this lookup needs the table and reading it takes a while

    found = [
        {
            "value": one.code,
            "label": f"{one.code} – {one.currency_name}",
            "hint": f"{Decimal(1).scaleb(-one.exponent):f}",
        }
        for one in Currency
        if one.exponent is not None
    ]
    return sorted(found, key=lambda option: (option["value"] != FIRST, option["value"]))
