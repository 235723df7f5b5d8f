"""The mobility area: customers with transport tickets, and their collective invoices."""

from __future__ import annotations

from connector.core.resources.model import Given, Resource, UriText
from connector.core.values.dates import InstantText
from connector.core.values.ids import Id, UuidText


class AddressLines(Resource):
    """A customer's address."""

    street: Given[str] = None
    postal_code: Given[str] = None
    city: Given[str] = None


class MobilityCustomer(Resource):
    """Who is invoiced for tickets."""

    id: Given[UuidText] = None
    organization_id: Given[UuidText] = None
    mobility_customer_id: Id | None = None
    name: Given[str] = None
    address_lines: Given[AddressLines] = None
    created_at: Given[InstantText] = None
    updated_at: Given[InstantText] = None


class CollectiveInvoice(Resource):
    """One invoice over all tickets of a customer that were open. Its amount is in cents."""

    id: Given[UuidText] = None
    organization_id: Given[UuidText] = None
    customer_id: Given[UuidText] = None
    mobility_invoice_id: Given[Id] = None
    invoice_number: str | None = None
    invoice_pdf_url: UriText | None = None
    amount_in_cents: Given[int] = None
    ticket_count: Given[int] = None
    invoiced_at: Given[InstantText] = None
    created_at: Given[InstantText] = None
