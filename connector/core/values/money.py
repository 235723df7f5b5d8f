"""Amounts as exact decimals: parsed without floats, summed without rounding."""

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
from functools import reduce
from typing import Any

MAX_DIGITS = 34
MAX_EXPONENT = 30

PLAIN_DECIMAL = r"[+-]?[0-9]+(\.[0-9]+)?"
_NUMBER_TEXT = re.compile(PLAIN_DECIMAL + r"([eE][+-]?[0-9]{1,4})?")
# More bits than 34 digits need: checked before a huge integer is converted to digits.
_MAX_BITS = 128


# Own decimal contexts: the caller's may round at 28 digits. Anything that does not fit raises.
_SIGNALS = [Clamped, DivisionByZero, Inexact, InvalidOperation, Overflow, Rounded, Subnormal, Underflow]
_check_bounds = Context(prec=MAX_DIGITS, Emax=MAX_EXPONENT, Emin=-MAX_EXPONENT, traps=_SIGNALS).plus
# For sums: enough precision for any number of amounts within those bounds.
_add = Context(prec=200, Emax=100, Emin=-100, traps=_SIGNALS).add


def as_money(value: Any) -> Decimal:
    """Parse an amount exactly, or raise `ValueError`.

    Accepted: `Decimal`, `int`, text in plain decimal notation (`1234.56`, also with an exponent as JSON writes it) and
    `float`, taken at its shortest notation (12.1 is read as 12.1). Trailing zeros are kept, minus zero becomes zero.
    Refused: booleans, NaN, Infinity, German notation (`1.234,56`), more than 34 digits, exponents beyond 30.
    """
    kind = type(value)
    if kind is Decimal:  # the usual case
        number = value
    elif kind is int or (isinstance(value, int) and kind is not bool):
        if value.bit_length() > _MAX_BITS:
            raise ValueError(f"an amount has at most {MAX_DIGITS} digits")
        number = Decimal(value)
    elif isinstance(value, str):
        number = _from_text(value)
    elif isinstance(value, float):
        number = Decimal(float.__repr__(value))
    elif isinstance(value, Decimal):
        number = Decimal(value)
    else:
        raise ValueError(f"an amount is a number, not {type(value).__name__}")
    if not number.is_finite():
        raise ValueError("an amount is a finite number, not NaN or Infinity")
    try:
        # Checks digits and exponent, and changes nothing but minus zero.
        return _check_bounds(number)
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
    """Return the exact sum, independent of the caller's decimal context."""
    return reduce(_add, (amount if type(amount) is Decimal else as_money(amount) for amount in amounts), Decimal(0))


def with_cents(amount: Decimal) -> Decimal:
    """The same amount with two decimals at least, as people write money."""
    exponent = amount.as_tuple().exponent
    return _add(amount, _NO_CENTS) if isinstance(exponent, int) and exponent > -2 else amount


_NO_CENTS = Decimal("0.00")
