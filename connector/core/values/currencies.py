"""The currencies of ISO 4217, imported on first use because the library's table is slow to load."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

DECIMALS_WITHOUT_UNIT = 4
"""Decimals for codes without a smallest unit, such as metals."""
GERMAN = {
    "UYW": "Uruguayische Lohnindexeinheit",
    "VED": "Venezolanischer Digitaler Bolívar",
    "XAD": "Arabischer Rechnungsdinar",
    "XCG": "Karibischer Gulden",
    "ZWG": "Simbabwe-Gold",
}
"""German names of codes that Babel does not know yet."""


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


@lru_cache(maxsize=2)
def codes(lang: str = "en") -> tuple[dict[str, Any], ...]:
    """Return all codes with name, smallest amount and decimals; the last two are None for metals and tests."""
    from iso4217 import Currency

    return tuple(
        {
            "code": currency.code,
            "name": _name(str(currency.code), str(currency.currency_name), lang),
            "unit": None if currency.exponent is None else f"{Decimal(1).scaleb(-currency.exponent):f}",
            "decimals": currency.exponent,
        }
        for currency in sorted(Currency, key=lambda currency: str(currency.code))
    )


def table(lang: str = "en") -> tuple[dict[str, Any], ...]:
    """Every currency that amounts are written in."""
    return tuple(currency for currency in codes(lang) if currency["decimals"] is not None)


def _name(code: str, english: str, lang: str) -> str:
    """The name of a currency; English where nobody has given it another."""
    if lang != "de":
        return english
    from babel.numbers import get_currency_name

    name = get_currency_name(code, locale="de")
    return GERMAN.get(code, english) if name == code else name
