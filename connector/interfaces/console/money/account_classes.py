"""The classes of a trial balance: 0 to 9 by the first digit of ledger accounts, then debtors and creditors. Pure.

Person accounts have nine digits, or one more than the ledger accounts of the same books; their first digit is 1 to 6
for debtors, 7 to 9 for creditors. How many digits ledger accounts have is seen from those of class 0, which begin with
0. Where none does, a number that is shorter than the others has lost its zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PERSON_DIGITS = 9
"""The digits of a classic person account."""
DEBTORS, CREDITORS, OTHERS = 10, 11, 12
"""The groups behind the classes 0 to 9."""
FIRST_OF_CREDITORS = 7


class AccountClass(NamedTuple):
    """Where an account stands in a trial balance."""

    rank: int
    """The class 0 to 9, or one of the groups behind them."""
    number: int
    """By what it is sorted in its class."""


def classes_of(numbers: Sequence[str]) -> list[AccountClass]:
    """Return the class of each account of one trial balance, by its number."""
    digits = [number for number in numbers if _is_number(number)]
    with_zero = [len(number) for number in digits if number.startswith("0")]
    length = min(with_zero) if with_zero else max((len(one) for one in digits if len(one) < PERSON_DIGITS), default=0)
    return [_class_of(number, length) for number in numbers]


def _class_of(number: str, length: int) -> AccountClass:
    if not _is_number(number):
        return AccountClass(OTHERS, 0)
    if len(number) >= PERSON_DIGITS or len(number) == length + 1:
        return AccountClass(CREDITORS if int(number[0]) >= FIRST_OF_CREDITORS else DEBTORS, int(number))
    return AccountClass(int(number.zfill(length)[0]), int(number))


def _is_number(number: str) -> bool:
    return number.isascii() and number.isdecimal()
