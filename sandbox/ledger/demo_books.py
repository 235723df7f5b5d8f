"""The books of the demo companies: chart of accounts, partners, events by date, and the bookings made of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from connector.sandbox.ledger.assumptions import OPENING_DOCUMENT
from connector.sandbox.ledger.postings import carries_forward, carry_account, is_debtor, postings
from connector.sandbox.ledger.state import Booking, BookingLine, Side

CHART = {
    "0320": "Pkw",
    "0420": "Büroeinrichtung",
    "0650": "Verbindlichkeiten gegenüber Kreditinstituten",
    "0800": "Gezeichnetes Kapital",
    "0860": "Gewinnvortrag vor Verwendung",
    "1000": "Kasse",
    "1200": "Bank",
    "1571": "Abziehbare Vorsteuer 7 %",
    "1576": "Abziehbare Vorsteuer 19 %",
    "1771": "Umsatzsteuer 7 %",
    "1776": "Umsatzsteuer 19 %",
    "3300": "Wareneingang 7 % Vorsteuer",
    "3400": "Wareneingang 19 % Vorsteuer",
    "4120": "Gehälter",
    "4210": "Miete",
    "4830": "Abschreibungen auf Sachanlagen",
    "4930": "Bürobedarf",
    "8300": "Erlöse 7 % USt",
    "8400": "Erlöse 19 % USt",
    "8736": "Gewährte Skonti 19 % USt",
    "9000": "Saldenvorträge Sachkonten",
    "9008": "Saldenvorträge Debitoren",
    "9009": "Saldenvorträge Kreditoren",
    "14100001": "Forderungen Dienstrad-Leasing Nord",
    "14100002": "Forderungen Dienstrad-Leasing Süd",
    "16100001": "Verbindlichkeiten Einkaufsverbund",
}
"""Eight-digit accounts are own receivables and payables: not in OPOS, but in the trial balance."""

OWN_RECEIVABLES = ("14100001", "14100002")
OWN_PAYABLE = "16100001"

# fmt: off
_SURNAMES = (
    "Ahlers", "Behrens", "Carstens", "Dierks", "Eggers", "Feddersen", "Gätjens", "Hansen", "Ibsen", "Jessen",
    "Kröger", "Lührs", "Matthiesen", "Nissen", "Ohlsen", "Petersen", "Quast", "Rickmers", "Sönksen", "Thomsen",
    "Ulrichs", "Voss", "Wulff", "Ziegler", "Brandt", "Claussen", "Dröge", "Friedrichs", "Harms", "Jürgens",
    "Köster", "Lorenzen", "Möller", "Paulsen", "Reimers", "Schütt",
)
# fmt: on
_BUYERS = ("Hausverwaltung {} GmbH", "Pflegedienst {} GmbH", "Kurierdienst {} e. K.", "{} & Söhne KG", "Praxis Dr. {}")
_SELLERS = ("{} Fahrradteile GmbH", "Reifen {} KG", "{} Werkzeuge GmbH & Co. KG", "Druckerei {} GmbH", "{} Logistik AG")


def partners(rng: random.Random, debtors: int, creditors: int) -> dict[str, str]:
    """Return names by person account: debtors from 100100000, creditors from 700100000."""
    buyers = rng.sample([form.format(name) for name in _SURNAMES for form in _BUYERS], debtors)
    sellers = rng.sample([form.format(name) for name in _SURNAMES for form in _SELLERS], creditors)
    return {str(100_100_000 + n): name for n, name in enumerate(buyers)} | {
        str(700_100_000 + n): name for n, name in enumerate(sellers)
    }


_GOODS = ("E-Bike Alster 5", "Lastenrad Elbe", "Inspektion groß", "Kettensatz", "Kinderrad Deich 20", "Dienstrad-Paket")
_SUPPLIES = ("Laufräder 28 Zoll", "Bremsbeläge", "Akkus 500 Wh", "Schläuche", "Verpackung", "Frachtkosten")


class Leg(NamedTuple):
    """A signed amount on an account: debit is positive, credit negative."""

    account: str
    amount: Decimal
    tax_key: str | None = None


class Event(NamedTuple):
    """A business event whose legs sum to zero."""

    on: date
    document: str
    text: str
    legs: tuple[Leg, ...]
    special_period: int | None = None


def euros(rng: random.Random, low: int, high: int) -> Decimal:
    return Decimal(rng.randint(low * 100, high * 100)).scaleb(-2)


def business_events(
    rng: random.Random, partners: list[str], invoices: int, first: date, today: date, old: dict[str, Decimal]
) -> list[Event]:
    """Return all events from `first` to `today`; half of the `old` balances are paid."""
    days = (today - first).days
    events: list[Event] = []
    # Sorted, so that document numbers ascend by date.
    for number, day in enumerate(sorted(rng.randint(0, days) for _ in range(invoices))):
        partner, on = rng.choice(partners), first + timedelta(days=day)
        trade = _sale if is_debtor(partner) else _purchase
        events += trade(rng, partner, number, on)
    for partner in sorted(old):
        if rng.random() < 0.5:
            on = first + timedelta(days=rng.randint(10, 60))
            events.append(
                Event(
                    on,
                    f"ALT-{partner[-3:]}",
                    "Zahlung Altposten",
                    (Leg("1200", old[partner]), Leg(partner, -old[partner])),
                )
            )
    events += _monthly_events(rng, first, today)
    return sorted((event for event in events if event.on <= today), key=lambda event: (event.on, event.document))


def _sale(rng: random.Random, debtor: str, number: int, on: date) -> Iterator[Event]:
    gross = euros(rng, 40, 6500)
    document, account, key = f"RE{number:05d}", "8400", "3"
    if rng.random() < 0.1:
        account, key = "8300", "2"
    yield Event(on, document, rng.choice(_GOODS), (Leg(debtor, gross), Leg(account, -gross, key)))
    paid_on = on + timedelta(days=rng.randint(5, 45))
    chance = rng.random()
    if chance < 0.60:
        yield Event(paid_on, document, "Zahlungseingang", (Leg("1200", gross), Leg(debtor, -gross)))
    elif chance < 0.70:
        discount = (gross * 2 / 100).quantize(Decimal("0.01"))
        legs = (Leg("1200", gross - discount), Leg("8736", discount, "3"), Leg(debtor, -gross))
        yield Event(paid_on, document, "Zahlungseingang mit 2 % Skonto", legs)
    elif chance < 0.78:
        part = (gross / 2).quantize(Decimal("0.01"))
        yield Event(paid_on, document, "Teilzahlung", (Leg("1200", part), Leg(debtor, -part)))
    elif chance < 0.80:
        # Paid under another document number: remains as two open items that sum to zero.
        yield Event(paid_on, f"ZE{number:05d}", "Zahlung ohne Bezug", (Leg("1200", gross), Leg(debtor, -gross)))


def _purchase(rng: random.Random, creditor: str, number: int, on: date) -> Iterator[Event]:
    gross = euros(rng, 30, 4200)
    document, account, key = f"ER-{rng.randint(1000, 9999)}-{number}", "3400", "9"
    if rng.random() < 0.08:
        account, key = "3300", "8"
    yield Event(on, document, rng.choice(_SUPPLIES), (Leg(account, gross, key), Leg(creditor, -gross)))
    if rng.random() < 0.8:
        paid_on = on + timedelta(days=rng.randint(7, 35))
        yield Event(paid_on, document, "Zahlungsausgang", (Leg(creditor, gross), Leg("1200", -gross)))


def _monthly_events(rng: random.Random, first: date, today: date) -> Iterator[Event]:
    month = first
    while month <= today:
        tag = f"{month:%y%m}"
        cash, lease, wages, union = (
            euros(rng, 200, 900),
            euros(rng, 300, 2500),
            euros(rng, 4800, 5600),
            euros(rng, 90, 400),
        )
        receivable = rng.choice(OWN_RECEIVABLES)
        rent = Decimal("2350.00")
        yield Event(month, f"MI{tag}", "Miete Ladenlokal", (Leg("4210", rent), Leg("1200", -rent)))
        yield Event(month.replace(day=28), f"LO{tag}", "Gehälter", (Leg("4120", wages), Leg("1200", -wages)))
        yield Event(month.replace(day=15), f"KA{tag}", "Tageseinnahmen", (Leg("1000", cash), Leg("8400", -cash, "3")))
        yield Event(month.replace(day=9), f"LE{tag}", "Leasingrate", (Leg(receivable, lease), Leg("8400", -lease, "3")))
        yield Event(
            month.replace(day=20), f"EV{tag}", "Einkaufsverbund", (Leg("4930", union, "9"), Leg(OWN_PAYABLE, -union))
        )
        following = (month.replace(day=28) + timedelta(days=5)).replace(day=1)
        if following.month == first.month and following <= today:
            depreciation = Decimal("4800.00")
            legs = (Leg("4830", depreciation), Leg("0320", -depreciation))
            yield Event(following - timedelta(days=1), f"AFA{tag}", "Abschreibung", legs, special_period=13)
        month = following


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
