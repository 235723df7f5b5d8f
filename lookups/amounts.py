"""How an option writes an amount: exactly, without an exponent, with its currency."""

from __future__ import annotations

from typing import Any

from connector.core.values.money import as_money


def amount_text(amount: Any, currency: Any) -> str:
    """An amount as an option shows it; what is no amount shows as nothing rather than breaking the whole list."""
    try:
        exact = as_money(amount)
    except ValueError:
        return ""
    return f"{exact:f} {currency or ''}".rstrip()
