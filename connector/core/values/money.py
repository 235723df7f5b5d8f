"""Amounts as exact decimals: read without a double in between, summed without rounding, refused when no amount."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import (
    Clamped,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
    Rounded,
    Subnormal,
    Underflow,
)
from typing import Any

MAX_DIGITS = 34
MAX_EXPONENT = 30

PLAIN_DECIMAL = r"[+-]?[0-9]+(\.[0-9]+)?"
_NUMBER_TEXT = re.compile(PLAIN_DECIMAL + r"([eE][+-]?[0-9]{1,4})?")
# Wider than 34 digits, in bits: looked at before an enormous integer is turned into digits.
_MAX_BITS = 128


# Contexts of our own: the caller's one may round at 28 digits, or anywhere else. Whatever would not fit is signalled.
_SIGNALS = [Clamped, DivisionByZero, Inexact, InvalidOperation, Overflow, Rounded, Subnormal, Underflow]
_within_bounds = Context(prec=MAX_DIGITS, Emax=MAX_EXPONENT, Emin=-MAX_EXPONENT, traps=_SIGNALS).plus
# For sums: room on both sides of the point at those bounds, and for more lines than memory holds.
_add = Context(prec=200, Emax=100, Emin=-100, traps=_SIGNALS).add


def as_money(value: Any) -> Decimal:
    """Read an amount exactly, or raise `ValueError`.

    Accepted: `Decimal`, `int`, text in plain decimal notation (`1234.56`, also with an exponent as JSON writes it) and
    `float`, taken at its shortest notation (12.1 is read as 12.1). Trailing zeros are kept, minus zero becomes zero.
    Refused: truth values, NaN, Infinity, German notation (`1.234,56`), more than 34 digits, exponents beyond 30.
    """
    if type(value) is Decimal:  # as good as always
        number = value
    elif isinstance(value, str):
        number = _from_text(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() > _MAX_BITS:
            raise ValueError(f"an amount has at most {MAX_DIGITS} digits")
        number = Decimal(value)
    elif isinstance(value, float):
        number = Decimal(float.__repr__(value))
    elif isinstance(value, Decimal):
        number = Decimal(value)
    else:
        raise ValueError(f"an amount is a number, not {type(value).__name__}")
    if not number.is_finite():
        raise ValueError("an amount is a finite number, not NaN or Infinity")
    try:
        # One step that checks digits and exponent, and changes nothing but minus zero.
        return _within_bounds(number)
    except DecimalException:
        raise ValueError(f"an amount has at most {MAX_DIGITS} digits and an exponent within ±{MAX_EXPONENT}") from None


def _from_text(text: str) -> Decimal:
    stripped = text.strip()
    if _NUMBER_TEXT.fullmatch(stripped):
        return Decimal(stripped)
    if "," in stripped:
        raise ValueError("an amount is written with a point and without grouping: 1234.56, not 1.234,56")
    raise ValueError("an amount is written as a plain decimal number, for example 1234.56")


def total(amounts: Iterable[Decimal | int]) -> Decimal:
    """The exact sum, whatever decimal context the caller has set."""
    result = Decimal(0)
    for amount in amounts:
        result = _add(result, as_money(amount))
    return result


def written(amount: Decimal, decimals: int = 2) -> str:
    """An amount in plain digits, with at least so many decimals."""
    exponent = amount.as_tuple().exponent
    return f"{amount:.{decimals}f}" if isinstance(exponent, int) and -exponent < decimals else f"{amount:f}"


def padded(amount: Decimal, currency: Any) -> str:
    """An amount in plain digits, with at least the decimals of its currency."""
    from connector.core.values import currencies

    code = currencies.code_of(currency) if isinstance(currency, str) and currency else None
    return written(amount, currencies.decimals(code) if code else 0)
