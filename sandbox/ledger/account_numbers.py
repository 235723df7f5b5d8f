"""Classifies account numbers."""

from __future__ import annotations


def is_person_account(number: str) -> bool:
    """Person accounts have nine digits; own receivable and payable ledger accounts eight."""
    return len(number) == 9 and number.isascii() and number.isdigit() and number[0] != "0"


def is_debtor(number: str) -> bool:
    """Whether a person account is a debtor (1 to 6) or a creditor (7 to 9)."""
    return number[0] in "123456"


def carries_forward(number: str) -> bool:
    """Whether the balance is carried into the next year: balance-sheet accounts only."""
    return len(number) > 4 or number[0] in "01"


def carry_account(number: str) -> str:
    """Return the contra account of an opening balance."""
    if not is_person_account(number):
        return "9000"
    return "9008" if is_debtor(number) else "9009"
