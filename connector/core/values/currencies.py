"""The currencies of ISO 4217, imported on first use because the library's table is slow to load."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

DECIMALS_WITHOUT_UNIT = 4
"""Decimals for codes without a smallest unit, such as metals."""


@lru_cache(maxsize=256)
def code_of(text: str) -> str | None:
    """Return the ISO code for a text in any case; None when there is no such currency."""
    from iso4217 import Currency

    try:
        return str(Currency(text.upper()).code)
    except ValueError:
        return None


@lru_cache(maxsize=256)
def decimals(code: str) -> int:
    """Return the number of decimals of a currency."""
    from iso4217 import Currency

    exponent = Currency(code).exponent
    return DECIMALS_WITHOUT_UNIT if exponent is None else int(exponent)


@lru_cache(maxsize=1)
def codes() -> tuple[dict[str, Any], ...]:
    """Return all codes with English name, smallest amount and decimals; the last two are None for metals and tests."""
    from iso4217 import Currency

    return tuple(
        {
            "code": one.code,
            "name": one.currency_name,
            "unit": None if one.exponent is None else f"{Decimal(1).scaleb(-one.exponent):f}",
            "decimals": one.exponent,
        }
        for one in sorted(Currency, key=lambda one: str(one.code))
    )


def table() -> tuple[dict[str, Any], ...]:
    """Every currency that amounts are written in."""
    return tuple(one for one in codes() if one["decimals"] is not None)
