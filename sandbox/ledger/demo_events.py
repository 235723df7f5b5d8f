"""The business events of a demo company: invoices, payments, wages and rent, by date."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from connector.sandbox.ledger.account_numbers import is_debtor
from connector.sandbox.ledger.demo_chart import OWN_PAYABLE, OWN_RECEIVABLES

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
