"""What an account number tells: person account or ledger account, debtor or creditor, carried forward or not."""

from __future__ import annotations


def is_person_account(number: str) -> bool:
    """A classic person account has nine digits; own receivable and payable ledger accounts have eight."""
    return len(number) == 9 and number.isascii() and number.isdigit() and number[0] != "0"


def is_debtor(number: str) -> bool:
    """Of a person account: debtors begin with 1 to 6, creditors with 7 to 9."""
    return number[0] in "123456"


def carries_forward(number: str) -> bool:
    """Balance-sheet accounts carry their balance into the next year; the accounts of profit and loss start anew."""
    return len(number) > 4 or number[0] in "01"


def carry_account(number: str) -> str:
    """The account on the other side of an opening balance."""
    if not is_person_account(number):
        return "9000"
    return "9008" if is_debtor(number) else "9009"
