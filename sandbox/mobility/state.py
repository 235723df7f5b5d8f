"""The stored data of the mobility area."""

from __future__ import annotations

from datetime import date, datetime
from uuid import NAMESPACE_URL, uuid5

import msgspec


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


def stable_uuid(label: str) -> str:
    """Return a UUID that is the same in every sandbox."""
    return str(uuid5(NAMESPACE_URL, f"sandbox/mobility/{label}"))
