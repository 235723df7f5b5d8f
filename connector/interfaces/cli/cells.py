"""One value of an answer as people read it: amounts, dates, yes and no, in the user's language."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from connector.core import localize
from connector.core.localize import USUAL_DECIMALS
from connector.core.values import currencies
from connector.interfaces.cli.language import language, tell

NOTHING = "–"
AMOUNTS = frozenset(
    {"amount", "balance", "betrag", "saldo", "totalSaldo", "umsatz"}
    | {"sumDebitoren", "sumKreditoren", "umsatzSoll", "umsatzHaben"}
)
"""Fields that hold money: the service may write a round amount as a whole number."""
CURRENCIES = ("currency_code", "waehrung")


def at(item: Any, path: str) -> Any:
    """The value under a dotted name; None when something on the way is missing."""
    for name in path.split("."):
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def is_number(value: Any) -> bool:
    """Whether a value is shown flush right."""
    return (isinstance(value, int | Decimal) and not isinstance(value, bool)) or _is_sided(value)


def cell(value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
    """The value of field `name` in `row`, in words."""
    match value:
        case None | "":
            return NOTHING
        case bool():
            return tell("yes" if value else "no")
        case Decimal():
            return localize.amount(value, language(), decimals_of(row or {}))
        case int():
            plain = name.rpartition(".")[2] not in AMOUNTS
            return str(value) if plain else localize.amount(Decimal(value), language(), decimals_of(row or {}))
        case str():
            return localize.text(value, language())
        case Mapping() if _is_sided(value):
            side = tell(f"side_{str(value['sollHabenKennzeichen']).lower()}")
            return f"{cell(value['betrag'], 'betrag', row)} {side}"
        case Mapping():
            return ", ".join(f"{key}: {cell(item, key, value)}" for key, item in value.items() if item is not None)
        case list():
            return ", ".join(cell(item) for item in value) or NOTHING
        case _:
            return str(value)


def decimals_of(row: Mapping[str, Any]) -> int:
    """How many decimals the currency of a row has."""
    code = next((row[name] for name in CURRENCIES if row.get(name)), None)
    try:
        return currencies.decimals(str(code)) if code else USUAL_DECIMALS
    except (KeyError, ValueError):
        return USUAL_DECIMALS


def _is_sided(value: Any) -> bool:
    """Whether it is a balance of the ledger: an amount with its side."""
    return isinstance(value, Mapping) and value.get("sollHabenKennzeichen") in {"SOLL", "HABEN"} and "betrag" in value
