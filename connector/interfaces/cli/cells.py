"""One value of an answer as people read it: amounts, dates, yes and no, in the user's language."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from connector.core.values import currencies
from connector.core.values.dates import instant
from connector.interfaces.cli.language import language, tell

NOTHING = "–"
AMOUNTS = frozenset(
    {"amount", "balance", "betrag", "saldo", "totalSaldo", "umsatz"}
    | {"sumDebitoren", "sumKreditoren", "umsatzSoll", "umsatzHaben"}
)
"""Fields that hold money: the service may write a round amount as a whole number."""
CURRENCIES = ("currency_code", "waehrung")
USUAL_DECIMALS = 2


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
            return amount(value, _decimals(row or {}))
        case int():
            plain = name.rpartition(".")[2] not in AMOUNTS
            return str(value) if plain else amount(Decimal(value), _decimals(row or {}))
        case str():
            return _moment(value)
        case Mapping() if _is_sided(value):
            side = tell(f"side_{str(value['sollHabenKennzeichen']).lower()}")
            return f"{cell(value['betrag'], 'betrag', row)} {side}"
        case Mapping():
            return ", ".join(f"{key}: {cell(item, key, value)}" for key, item in value.items() if item is not None)
        case list():
            return ", ".join(cell(item) for item in value) or NOTHING
        case _:
            return str(value)


def amount(value: Decimal, decimals: int = USUAL_DECIMALS) -> str:
    """An amount with at least its currency's decimals and never fewer than it has: 1,234.56 or 1.234,56."""
    exponent = value.as_tuple().exponent
    own = -exponent if isinstance(exponent, int) else 0
    text = f"{value:,.{max(decimals, own)}f}"
    return text.translate(str.maketrans(",.", ".,")) if language() == "de" else text


def _decimals(row: Mapping[str, Any]) -> int:
    code = next((row[name] for name in CURRENCIES if row.get(name)), None)
    try:
        return currencies.decimals(str(code)) if code else USUAL_DECIMALS
    except (KeyError, ValueError):
        return USUAL_DECIMALS


def _is_sided(value: Any) -> bool:
    """Whether it is a balance of the ledger: an amount with its side."""
    return isinstance(value, Mapping) and value.get("sollHabenKennzeichen") in {"SOLL", "HABEN"} and "betrag" in value


def _moment(text: str) -> str:
    """A point in time in German time, to the minute; any other text as it is."""
    if len(text) < len("2026-05-04T10:30") or text[10] != "T":
        return text
    try:
        moment: datetime = instant(text)
    except ValueError:
        return text
    return f"{moment.astimezone(ZoneInfo('Europe/Berlin')):%Y-%m-%d %H:%M}"
