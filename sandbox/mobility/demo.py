"""The demo data of the mobility area, the same for the same seed."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.mobility.state import AddressLines, Customer, MobilityState, Ticket, stable_uuid

_CUSTOMERS = (
    ("Hansestadt-Kurier GmbH", "Spaldingstraße 64", "20097", "Hamburg"),
    ("Alsterpflege gGmbH", "Barmbeker Straße 12", "22303", "Hamburg"),
    ("Werft Petersen KG", "Am Sandtorkai 30", "20457", "Hamburg"),
    ("Schule am Deich e. V.", "Deichstraße 8", "21073", "Hamburg"),
    ("Kontorhaus Verwaltung GmbH", "Mönckebergstraße 5", "20095", "Hamburg"),
    ("Elbstrand Hotel GmbH", "Övelgönne 21", "22605", "Hamburg"),
)
_PRICES = (350, 730, 2940, 6300)
"""Short trip, day ticket, week ticket, monthly subscription, in cents."""


def demo_mobility(seed: int, today: date) -> MobilityState:
    """Return six customers; the last has no tickets, so its collective invoice is refused."""
    rng = random.Random(f"{seed}/mobility")
    customers: dict[str, Customer] = {}
    tickets: list[Ticket] = []
    for number, (name, *address) in enumerate(_CUSTOMERS):
        identity = stable_uuid(f"customer/{number}")
        created = datetime.combine(today - timedelta(days=300 - 20 * number), time(8, 15), UTC)
        outside_id = f"MC-{4100 + number}" if number % 4 != 3 else None
        customers[identity] = Customer(
            identity, ORGANIZATION, outside_id, name, AddressLines(*address), created, created + timedelta(days=3)
        )
        if number < len(_CUSTOMERS) - 1:
            tickets += [
                Ticket(identity, rng.choice(_PRICES), today - timedelta(days=rng.randint(0, 30)))
                for _ in range(rng.randint(3, 40))
            ]
    return MobilityState(customers, tickets)
