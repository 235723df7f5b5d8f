"""The routes of the mobility area: list customers, and create a collective invoice."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from connector.sandbox.mobility.assumptions import COST, STATUS_NOTHING_TO_INVOICE, STATUS_UNKNOWN
from connector.sandbox.mobility.state import CollectiveInvoice, Customer, MobilityState, stable_uuid
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.routes import Request, Route
from connector.sandbox.world import World


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
    identity = stable_uuid(f"invoice/{number}")
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
    customer = state.customers.get(identity)
    if customer is None or customer.organization_id != request.key.organization_id:
        raise ServiceError(STATUS_UNKNOWN, f"customer {identity} not found")
    return customer


ROUTES: tuple[Route, ...] = (
    Route("GET", "/v2/mobility/customers", list_customers, cost=COST),
    Route("POST", "/v2/mobility/customers/{id}/invoice", create_invoice, cost=COST, acts=True),
)
