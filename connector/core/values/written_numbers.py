"""Numbers as people write them: `1.234,50 €`, `41,65-`, `19 %`. `docs/vocabulary.md` lists what is read and refused.

A notation is read or refused whole, whatever its value.
`connector/export/node/core/values/written_numbers.ts` is the other interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from connector.core import limits
from connector.core.problems import Problem
from connector.core.values import currencies
from connector.core.values.money import MAX_DIGITS, as_money

PERCENT = "%"
SIGNS = {"€": "EUR", "$": "USD", "£": "GBP"}
"""Currencies that are written by a sign."""
# A point and digits as machines write them, without the one form that people may mean differently: 1.234.
_PLAIN = re.compile(r"[+-]?(?:[0-9]+|[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,})|0[0-9]*\.[0-9]{3})")
_EXPONENT = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]{1,4}")
_UNIT = r"[€$£%]|[A-Za-z]{3}"
_WRITTEN = re.compile(
    rf"(?P<sign>[+-])? ?(?:(?P<front>{_UNIT}) ?)?(?P<inner>[+-])? ?"
    rf"(?P<digits>[0-9](?:[0-9., ]*[0-9])?)(?P<behind>-)?(?: ?(?P<back>{_UNIT}))?"
)
_TWO_READINGS = re.compile(r"([1-9][0-9]*)[.,]([0-9]{3})")
_UNGROUPED = re.compile(r"([0-9]+)(?:[.,]([0-9]+))?")
_GROUPED = re.compile(r"([1-9][0-9]{0,2}([., ])[0-9]{3}(?:\2[0-9]{3})*)(?:(?!\2)[.,]([0-9]+))?")
_TYPOGRAPHIC = str.maketrans(dict.fromkeys("\u2212\u2013", "-") | dict.fromkeys("\u00a0\u202f\u2009", " "))


class Misread(Problem):
    """A notation that is not taken for a number, and the numbers that may be meant by it."""

    def __init__(self, written: str, *meant: str) -> None:
        super().__init__("not_a_number")
        self.written = written
        self.meant: list[Decimal] = []
        for plain in meant:
            with suppress(Problem):
                self.meant.append(Decimal(f"{_exact(plain):f}"))

    def shown(self, decimals: int | None, fits: Callable[[Decimal], bool]) -> Problem:
        """The refusal that shows what the field itself takes: to the cent where it is an amount of a currency."""
        rounded = [number if decimals is None else in_cents(number, decimals) for number in self.meant]
        readings = [number for number in dict.fromkeys(rounded) if fits(number) and (decimals or number in self.meant)]
        if len(readings) == 1:
            return Problem("number.misreadable", written=self.written, meant=readings[0])
        if not readings:
            return Problem(self.name)
        name = "number.two_readings" if readings[1] in self.meant else "number.two_readings_rounded"
        return Problem(name, written=self.written, whole=readings[0], decimal=readings[1])


def in_cents(number: Decimal, decimals: int) -> Decimal:
    """The number with exactly so many decimals, rounded as on an invoice."""
    return number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _WIDE)


_WIDE = Context(prec=2 * MAX_DIGITS)


def read_number(value: Any) -> tuple[Decimal, str]:
    """Return a number and its unit (a currency code, a percent sign, or ""), or raise `Problem`.

    Only a text is read as people write; a number is taken literally, but for one with an exponent, which no amount has.
    """
    if not isinstance(value, str):
        number = _exact(value)
        if number.as_tuple().exponent > 0:  # type: ignore[operator]  # it is finite
            raise Misread(str(number), str(number))
        return number, ""
    if len(value) > limits.MAX_WRITTEN_CHARACTERS:
        raise Problem("not_a_number")
    text = value.strip()
    if _PLAIN.fullmatch(text):
        return _exact(text), ""
    if _EXPONENT.fullmatch(text):
        raise Misread(text, text.replace(",", "."))
    parts = _WRITTEN.fullmatch(text.translate(_TYPOGRAPHIC))
    if parts is None:
        raise Problem("not_a_number")
    signs, units = (
        [parts[place] for place in names if parts[place]] for names in (("sign", "inner", "behind"), _PLACES)
    )
    if len(signs) > 1 or len(units) > 1:
        raise Problem("not_a_number")
    sign = "-" if signs == ["-"] else ""
    return _exact(sign + _plain_digits(parts["digits"], sign, text)), _unit(units[0]) if units else ""


_PLACES = ("front", "back")


def _exact(value: Any) -> Decimal:
    try:
        return as_money(value)
    except ValueError:
        raise Problem("not_a_number") from None


def _plain_digits(digits: str, sign: str, written: str) -> str:
    """The digits with a point before the decimals, and without groups."""
    two = _TWO_READINGS.fullmatch(digits)
    if two:
        whole, last = two.groups()
        raise Misread(written, f"{sign}{whole}{last}", f"{sign}{whole}.{last}")
    match = _UNGROUPED.fullmatch(digits)
    if match:
        return f"{match[1]}.{match[2]}" if match[2] else match[1]
    match = _GROUPED.fullmatch(digits)
    if not match:
        raise Problem("not_a_number")
    whole = match[1].replace(match[2], "")
    return f"{whole}.{match[3]}" if match[3] else whole


def _unit(written: str) -> str:
    if written == PERCENT:
        return PERCENT
    code = SIGNS.get(written) or currencies.code_of(written)
    if code is None:
        raise Problem("not_a_number")
    return code
