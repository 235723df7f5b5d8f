"""The simulated mobility area: transport-ticket customers, and collective invoices over their tickets."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec

from sandbox.contract import Request, Route, ServiceError
from sandbox.keys import ORGANIZATION

if TYPE_CHECKING:
    from sandbox.world import World

COST = 0
STATUS_NOTHING_TO_INVOICE = 409
STATUS_UNKNOWN = 404

ASSUMPTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "mobility.cost",
        "Listing customers and creating a collective invoice cost nothing.",
        "Credit cost of the mobility operations and the webhook-url operations: not shown.",
    ),
    (
        "mobility.nothing_to_invoice",
        "A collective invoice takes all tickets not invoiced yet; with none left it answers 409 and does nothing.",
        "creates a collective invoice for the customer (`id` uuid path parameter). No body.",
    ),
    (
        "mobility.status",
        "Success answers 200, an id that is no uuid 400, an unknown customer 404.",
        "Success status codes of all endpoints: not shown.",
    ),
    (
        "mobility.invoice_number",
        "Every third invoice has neither invoice_number nor invoice_pdf_url yet.",
        "`invoice_number` string or null, `invoice_pdf_url` string (uri) or null (internal)",
    ),
)


class AddressLines(msgspec.Struct):
    street: str
    postal_code: str
    city: str


class Customer(msgspec.Struct):
    id: str
    organization_id: str
    mobility_customer_id: str | None
    name: str
    address_lines: AddressLines
    created_at: datetime
    updated_at: datetime


class Ticket(msgspec.Struct):
    customer_id: str
    price_in_cents: int
    bought_on: date
    invoice_id: str | None = None


class CollectiveInvoice(msgspec.Struct):
    id: str
    organization_id: str
    customer_id: str
    mobility_invoice_id: str
    invoice_number: str | None
    invoice_pdf_url: str | None
    amount_in_cents: int
    ticket_count: int
    invoiced_at: datetime
    created_at: datetime


class MobilityState(msgspec.Struct):
    customers: dict[str, Customer]
    tickets: list[Ticket]
    invoices: list[CollectiveInvoice] = []


def list_customers(world: World, request: Request) -> list[Any]:
    own = request.key.organization_id
    return [msgspec.to_builtins(row) for row in world.mobility.customers.values() if row.organization_id == own]


def create_invoice(world: World, request: Request) -> dict[str, Any]:
    state = world.mobility
    customer = _customer(state, request)
    open_tickets = [t for t in state.tickets if t.customer_id == customer.id and t.invoice_id is None]
    if not open_tickets:
        raise ServiceError(STATUS_NOTHING_TO_INVOICE, f"customer {customer.id} has no tickets to invoice")
    number = len(state.invoices) + 1
    identity = _identity(f"invoice/{number}")
    issued = number % 3 != 0
    invoice = CollectiveInvoice(
        id=identity,
        organization_id=customer.organization_id,
        customer_id=customer.id,
        mobility_invoice_id=f"MOB-{number:06d}",
        invoice_number=f"SR-{request.now:%Y}-{number:05d}" if issued else None,
        invoice_pdf_url=f"https://files.example.com/invoices/{identity}.pdf" if issued else None,
        amount_in_cents=sum(ticket.price_in_cents for ticket in open_tickets),
        ticket_count=len(open_tickets),
        invoiced_at=request.now,
        created_at=request.now,
    )
    for ticket in open_tickets:
        ticket.invoice_id = identity
    state.invoices.append(invoice)
    answer: dict[str, Any] = msgspec.to_builtins(invoice)
    return answer


def _customer(state: MobilityState, request: Request) -> Customer:
    text = request.path["id"]
    try:
        identity = str(UUID(text))
    except ValueError:
        raise ServiceError(400, f"id must be a uuid, got {text!r}") from None
    found = state.customers.get(identity)
    if found is None or found.organization_id != request.key.organization_id:
        raise ServiceError(STATUS_UNKNOWN, f"customer {identity} not found")
    return found


ROUTES: tuple[Route, ...] = (
    Route("GET", "/v2/mobility/customers", list_customers, cost=COST),
    Route("POST", "/v2/mobility/customers/{id}/invoice", create_invoice, cost=COST, acts=True),
)

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
    """Six customers; the last has no tickets, so its collective invoice is refused from the start."""
    rng = random.Random(f"{seed}/mobility")
    customers: dict[str, Customer] = {}
    tickets: list[Ticket] = []
    for number, (name, *address) in enumerate(_CUSTOMERS):
        identity = _identity(f"customer/{number}")
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


def _identity(label: str) -> str:
    """A UUID that is the same in every sandbox."""
    return str(uuid5(NAMESPACE_URL, f"sandbox/mobility/{label}"))
