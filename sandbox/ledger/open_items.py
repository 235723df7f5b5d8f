"""Open items (OPOS), computed from bookings by person account and document.

Entries are grouped by (person account, document number); a group that sums to zero is settled and omitted.

Every fiscal year opens with a booking that repeats what the years before already hold in
detail, so adding everything up counts old items once per year since. An example, one debtor, books stored from 2024:

    2024  opening balance          100    owed since before the stored years, no document for it
    2024  invoice RE1              500
    2025  opening balance          600    = 100 + 500, nothing new
    2025  payment of RE1          -500
    2026  opening balance          100    = 600 - 500, nothing new

The customer owes 100. `raw` shows the opening balances as they are: item '0' with 100 + 600 + 100 = 800.
`reconcile` takes the latest opening balance up to the cut-off (2026: 100), since it contains all older ones, and nets
it against the details of the fiscal years before it (500 - 500 = 0). What no stored document explains remains, here
100, as the item EB-RESIDUAL; RE1 is settled. The total is the latest opening balance plus what was booked since.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Literal, NamedTuple, cast, get_args

from connector.sandbox.ledger.access import readable_client
from connector.sandbox.ledger.assumptions import RESIDUAL_DOCUMENT
from connector.sandbox.ledger.postings import is_debtor, is_person_account, sign
from connector.sandbox.ledger.state import Booking
from connector.sandbox.traffic.parameters import choice_of, date_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

AccountSide = Literal["debitors", "creditors", "all"]
OpeningBalanceMode = Literal["reconcile", "raw"]


class Entry(NamedTuple):
    """A posting on a person account; debit is positive."""

    account: str
    document: str
    on: date
    text: str
    amount: Decimal
    fiscal_year: date
    opening: bool


class OpenItem(NamedTuple):
    document: str
    on: date
    text: str
    balance: Decimal


class OpenAccount(NamedTuple):
    account: str
    total: Decimal
    items: list[OpenItem]


def person_entries(bookings: Iterable[Booking]) -> Iterator[Entry]:
    """Yield the postings on nine-digit person accounts."""
    for booking in bookings:
        for line in booking.buchungszeilen:
            if is_person_account(line.kontonummer):
                yield Entry(
                    line.kontonummer,
                    line.belegfeld1,
                    line.belegdatum.date(),
                    booking.buchungstext,
                    sign(booking) * line.umsatz,
                    booking.fiscal_year,
                    booking.opening,
                )


def open_items(
    entries: Iterable[Entry], cutoff: date, side: AccountSide, treatment: OpeningBalanceMode
) -> list[OpenAccount]:
    """Return all accounts with open items at the cut-off, largest absolute balance first."""
    by_account: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.on <= cutoff and on_side(entry.account, side):
            by_account[entry.account].append(entry)
    accounts = []
    for account, movements in by_account.items():
        items = grouped(reconciled(movements) if treatment == "reconcile" else movements)
        if items:
            accounts.append(OpenAccount(account, sum((item.balance for item in items), Decimal()), items))
    return sorted(accounts, key=lambda account: (-abs(account.total), account.account))


def on_side(account: str, side: AccountSide) -> bool:
    return side == "all" or is_debtor(account) == (side == "debitors")


def reconciled(movements: list[Entry]) -> list[Entry]:
    """Replace the opening balances of an account by the remainder that no document explains."""
    openings = [entry for entry in movements if entry.opening]
    details = [entry for entry in movements if not entry.opening]
    if not openings:
        return details
    latest = max(entry.fiscal_year for entry in openings)
    last = [entry for entry in openings if entry.fiscal_year == latest]
    explained = sum((entry.amount for entry in details if entry.fiscal_year < latest), Decimal())
    rest = sum((entry.amount for entry in last), Decimal()) - explained
    return [*details, last[0]._replace(document=RESIDUAL_DOCUMENT, text="Saldovortrag ohne Einzelposten", amount=rest)]


def grouped(movements: list[Entry]) -> list[OpenItem]:
    """Return the open items of an account by document, largest absolute balance first."""
    by_document: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in movements:
        by_document[entry.document].append(entry)
    items = []
    for document, group in by_document.items():
        balance = sum((entry.amount for entry in group), Decimal())
        if balance:
            earliest = min(group, key=lambda entry: entry.on)
            items.append(OpenItem(document, earliest.on, earliest.text, balance))
    return sorted(items, key=lambda item: (-abs(item.balance), item.document))


def opos(world: World, request: Request) -> dict[str, Any]:
    client = readable_client(world, request)
    wire = request.wire
    cutoff = date_of(request.query, wire.name("opos.cutoff")) or request.now.date()
    side = choice_of(request.query, wire.name("opos.side"), get_args(AccountSide)) or "all"
    treatment = choice_of(request.query, wire.name("opos.opening_balance"), get_args(OpeningBalanceMode)) or "reconcile"
    accounts = open_items(
        person_entries(client.bookings), cutoff, cast(AccountSide, side), cast(OpeningBalanceMode, treatment)
    )
    return {
        "data": {
            "stichtag": cutoff.isoformat(),
            "konten": [_account(account, client.account_labels) for account in accounts],
            "sumDebitoren": _total(account for account in accounts if is_debtor(account.account)),
            "sumKreditoren": _total(account for account in accounts if not is_debtor(account.account)),
        }
    }


def _total(accounts: Iterable[OpenAccount]) -> Decimal:
    return sum((account.total for account in accounts), Decimal())


def _account(open_account: OpenAccount, labels: dict[str, str]) -> dict[str, Any]:
    return {
        "kontonummer": open_account.account,
        "bezeichnung": labels.get(open_account.account, ""),
        "isDebitor": is_debtor(open_account.account),
        "totalSaldo": open_account.total,
        "posten": [
            {
                "beleg": item.document,
                "belegdatum": item.on.isoformat(),
                "buchungstext": item.text,
                "saldo": item.balance,
            }
            for item in open_account.items
        ],
    }
