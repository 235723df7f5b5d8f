"""From bookings to postings: which account moves by how much, with the tax taken out of gross amounts.

A posting is signed: debit (SOLL) is positive, credit (HABEN) negative. So a neutral pair sums to zero, and the balance
of an account is the plain sum of its postings.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from sandbox.ledger.state import Booking

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
    """Every (account, signed amount) that a booking causes; a line with a tax key splits into net and tax.

    The tax is what is left of the gross amount after rounding the net, so no cent appears or vanishes.
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
