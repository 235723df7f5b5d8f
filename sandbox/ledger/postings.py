"""Account numbers, and bookings as postings: account and signed amount, with tax split from gross amounts.

Debit (SOLL) is positive, credit (HABEN) negative, so the balance of an account is the sum of its postings.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from connector.sandbox.ledger.state import Booking


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


CENT = Decimal("0.01")


class TaxKey(NamedTuple):
    percent: Decimal
    account: str


TAX_KEYS = {
    "2": TaxKey(Decimal(7), "1771"),
    "3": TaxKey(Decimal(19), "1776"),
    "8": TaxKey(Decimal(7), "1571"),
    "9": TaxKey(Decimal(19), "1576"),
}


def sign(booking: Booking) -> int:
    return 1 if booking.soll_haben_kennzeichen == "SOLL" else -1


def postings(booking: Booking) -> Iterator[tuple[str, Decimal]]:
    """Yield (account, signed amount) for each line; a line with a tax key is split into net and tax.

    The tax is gross minus rounded net, so both always add up to gross.
    """
    direction = sign(booking)
    for line in booking.buchungszeilen:
        key = TAX_KEYS.get(line.bu_schluessel or "")
        if key is None:
            yield line.kontonummer, direction * line.umsatz
            continue
        net = (line.umsatz * 100 / (100 + key.percent)).quantize(CENT, ROUND_HALF_UP)
        yield line.kontonummer, direction * net
        yield key.account, direction * (line.umsatz - net)
