"""Handler for the trial balance (Summen- und Saldenliste) of a fiscal year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from connector.sandbox.ledger.access import readable_client
from connector.sandbox.ledger.postings import postings
from connector.sandbox.ledger.query import named_fiscal_year
from connector.sandbox.ledger.state import Booking
from connector.sandbox.traffic.parameters import text_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

PERIODS = range(1, 15)


@dataclass(slots=True)
class AccountSums:
    """The sums of an account in a fiscal year; debit is positive."""

    opening: Decimal | None = None
    debit: Decimal = Decimal()
    credit: Decimal = Decimal()
    periods: defaultdict[int, Decimal] = field(default_factory=lambda: defaultdict(Decimal))

    @property
    def balance(self) -> Decimal:
        return (self.opening or Decimal()) + self.debit - self.credit


def account_sums(bookings: Iterable[Booking], fiscal_year: date) -> dict[str, AccountSums]:
    """Return the sums of all accounts with postings in the fiscal year; opening balances are no turnover."""
    sums: defaultdict[str, AccountSums] = defaultdict(AccountSums)
    for booking in bookings:
        if booking.fiscal_year != fiscal_year:
            continue
        for account, amount in postings(booking):
            account_sum = sums[account]
            if booking.opening:
                account_sum.opening = (account_sum.opening or Decimal()) + amount
                continue
            account_sum.periods[booking.period] += amount
            if booking.soll_haben_kennzeichen == "SOLL":
                account_sum.debit += amount
            else:
                account_sum.credit -= amount
    return dict(sorted(sums.items()))


def susa(world: World, request: Request) -> dict[str, Any]:
    client = readable_client(world, request)
    sums = account_sums(client.bookings, named_fiscal_year(request, client).start)
    wanted = text_of(request.query, request.wire.name("susa.account"))
    labels = client.account_labels
    return {
        "data": [
            row(account, labels.get(account, ""), account_sum)
            for account, account_sum in sums.items()
            if wanted in (None, account)
        ]
    }


def row(account: str, label: str, sums: AccountSums) -> dict[str, Any]:
    return {
        "kontobeschriftung": label,
        "kontonummer": account,
        "saldo": balance(sums.balance),
        "periodenwerte": [
            {"periode": period, "saldo": balance(sums.periods.get(period, Decimal()))} for period in PERIODS
        ],
        "ebWert": None if sums.opening is None else balance(sums.opening),
        "umsatzHaben": sums.credit,
        "umsatzSoll": sums.debit,
    }


def balance(amount: Decimal) -> dict[str, Any]:
    """Format a signed amount as absolute amount with side."""
    return {"betrag": abs(amount), "sollHabenKennzeichen": "HABEN" if amount < 0 else "SOLL"}
