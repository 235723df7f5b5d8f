"""The currencies of ISO 4217, read from the library when first needed: its table takes a while."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

UNDEFINED = 4
"""Decimals for codes without a smallest unit (metals): they are not bounded in practice."""


@lru_cache(maxsize=256)
def code_of(text: str) -> str | None:
    """The code of a currency, written in any case; None when there is none."""
    from iso4217 import Currency

    try:
        return str(Currency(text.upper()).code)
    except ValueError:
        return None


@lru_cache(maxsize=256)
def decimals(code: str) -> int:
    """How many decimals a currency has."""
    from iso4217 import Currency

    exponent = Currency(code).exponent
    return UNDEFINED if exponent is None else int(exponent)


def undefined() -> list[str]:
    """The codes without a smallest unit: metals, funds and tests. They are known, and not offered."""
    from iso4217 import Currency

    return sorted(str(one.code) for one in Currency if one.exponent is None)


@lru_cache(maxsize=1)
def codes() -> tuple[dict[str, Any], ...]:
    """Every code with its English name, smallest amount and decimals, which metals and test codes have not."""
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
