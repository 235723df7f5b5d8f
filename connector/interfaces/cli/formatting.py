"""Formats values of an output for display in the user's language."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from connector.core import localize
from connector.core.localize import USUAL_DECIMALS
from connector.core.values import currencies
from connector.interfaces.cli.language import language, localized

EMPTY = "–"
AMOUNT_FIELDS = frozenset(
    {"amount", "balance", "betrag", "saldo", "totalSaldo", "umsatz"}
    | {"sumDebitoren", "sumKreditoren", "umsatzSoll", "umsatzHaben"}
)
"""Fields that hold money, even if the service sends an integer."""
CURRENCY_FIELDS = ("currency_code", "waehrung")


def value_at(item: Any, path: str) -> Any:
    """Return the value at a dotted path, or None."""
    for name in path.split("."):
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def is_number(value: Any) -> bool:
    """Whether a value is right-aligned."""
    return (isinstance(value, int | Decimal) and not isinstance(value, bool)) or _has_side(value)


def format_value(value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
    """Format the value of field `name` in `row`."""
    match value:
        case None | "":
            return EMPTY
        case bool():
            return localized("yes" if value else "no")
        case Decimal():
            return localize.amount(value, language(), decimals_of(row or {}))
        case int():
            is_plain = name.rpartition(".")[2] not in AMOUNT_FIELDS
            return str(value) if is_plain else localize.amount(Decimal(value), language(), decimals_of(row or {}))
        case str():
            return localize.text(value, language())
        case Mapping() if _has_side(value):
            side = localized(f"side_{str(value['sollHabenKennzeichen']).lower()}")
            return f"{format_value(value['betrag'], 'betrag', row)} {side}"
        case Mapping():
            return ", ".join(
                f"{key}: {format_value(item, key, value)}" for key, item in value.items() if item is not None
            )
        case list():
            return ", ".join(format_value(item) for item in value) or EMPTY
        case _:
            return str(value)


def decimals_of(row: Mapping[str, Any]) -> int:
    """Return the number of decimals of a row's currency."""
    code = next((row[name] for name in CURRENCY_FIELDS if row.get(name)), None)
    try:
        return currencies.decimals(str(code)) if code else USUAL_DECIMALS
    except (KeyError, ValueError):
        return USUAL_DECIMALS


def _has_side(value: Any) -> bool:
    """Whether the value is a ledger balance: an amount with debit or credit side."""
    return isinstance(value, Mapping) and value.get("sollHabenKennzeichen") in {"SOLL", "HABEN"} and "betrag" in value
