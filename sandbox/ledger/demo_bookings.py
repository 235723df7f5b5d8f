"""Converts demo events to bookings by fiscal year, with opening balances."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

from connector.sandbox.ledger.account_numbers import carries_forward, carry_account, is_debtor
from connector.sandbox.ledger.assumptions import OPENING_DOCUMENT
from connector.sandbox.ledger.demo_events import Event, Leg, business_events, euros
from connector.sandbox.ledger.postings import postings
from connector.sandbox.ledger.state import Booking, BookingLine, Side

_SIDES: tuple[tuple[Side, int], ...] = (("SOLL", 1), ("HABEN", -1))


def demo_bookings(
    rng: random.Random, partners: list[str], invoices: int, fiscal_years: list[date], today: date
) -> list[Booking]:
    """Return all bookings up to today; each event and opening balance is a pair that sums to zero."""
    initial_balances = _initial_balances(rng, partners)
    events = business_events(
        rng, partners, invoices, fiscal_years[0], today, {a: b for a, b in initial_balances.items() if len(a) == 9}
    )
    bookings: list[Booking] = []
    opening_balances = initial_balances
    for start, following in zip(fiscal_years, [*fiscal_years[1:], date.max], strict=True):
        year = list(_opening_pairs(opening_balances, start))
        for number, event in enumerate(event for event in events if start <= event.on < following):
            year += _event_pair(event, start, f"{start:%Y}-{number:05d}")
        opening_balances = closing_balances(year)
        bookings += year
    return bookings


def closing_balances(bookings: list[Booking]) -> dict[str, Decimal]:
    """Return the opening balances of the next year; the year's result goes to account 0860."""
    balances: defaultdict[str, Decimal] = defaultdict(Decimal)
    for booking in bookings:
        for account, amount in postings(booking):
            balances[account if carries_forward(account) else "0860"] += amount
    return {account: amount for account, amount in sorted(balances.items()) if amount}


def _initial_balances(rng: random.Random, partners: list[str]) -> dict[str, Decimal]:
    """Return opening balances of the first stored year, without documents."""
    balances = {"0320": Decimal("31200.00"), "0420": Decimal("8450.00"), "1000": Decimal("412.30")}
    balances |= {"1200": Decimal("64210.77"), "0650": Decimal("-22500.00")}
    for partner in partners:
        if rng.random() < 0.3:
            balances[partner] = euros(rng, 50, 2400) * (1 if is_debtor(partner) else -1)
    return balances | {"0800": -sum(balances.values(), Decimal())}


def _opening_pairs(balances: dict[str, Decimal], start: date) -> Iterator[Booking]:
    for account, amount in balances.items():
        legs = (Leg(account, amount), Leg(carry_account(account), -amount))
        yield from _pair(Event(start, OPENING_DOCUMENT, "Saldovortrag", legs), start, 1, None, opening=True)


def _event_pair(event: Event, start: date, number: str) -> Iterator[Booking]:
    month = (event.on.year - start.year) * 12 + event.on.month - start.month + 1
    yield from _pair(event, start, event.special_period or month, number)


def _pair(event: Event, start: date, period: int, number: str | None, *, opening: bool = False) -> Iterator[Booking]:
    day = datetime(event.on.year, event.on.month, event.on.day, tzinfo=UTC)
    for side, direction in _SIDES:
        lines = [
            BookingLine(leg.account, abs(leg.amount), event.document, day, leg.tax_key)
            for leg in event.legs
            if leg.amount * direction > 0
        ]
        identity = number and f"{number}-{side[0]}"
        yield Booking(identity, "EUR", side, event.text, lines, start, period, opening)
