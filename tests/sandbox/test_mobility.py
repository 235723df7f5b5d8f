"""Mobility: customers as a bare array, collective invoices over what is not invoiced yet."""

from __future__ import annotations

from uuid import UUID, uuid4

import msgspec
import pytest

from connector.sandbox.access.api_keys import ORGANIZATION, ApiKey
from connector.sandbox.mobility.assumptions import ASSUMPTIONS
from connector.sandbox.mobility.demo import demo_mobility
from connector.sandbox.mobility.routes import ROUTES
from connector.sandbox.mobility.state import MobilityState
from tests.sandbox.handler_client import NOW, TODAY, HandlerClient

CUSTOMERS = "GET /v2/mobility/customers"
INVOICE = "POST /v2/mobility/customers/{id}/invoice"


@pytest.fixture
def sandbox() -> HandlerClient:
    return HandlerClient()


@pytest.mark.conforms(
    "conventions.mobility_without_envelope", "mobility_customer.fields", "mobility_customers.endpoint"
)
def test_customers_come_as_a_bare_array(sandbox: HandlerClient) -> None:
    rows = sandbox.call(CUSTOMERS)
    assert isinstance(rows, list)
    assert set(rows[0]) == {
        "id",
        "organization_id",
        "mobility_customer_id",
        "name",
        "address_lines",
        "created_at",
        "updated_at",
    }
    assert set(rows[0]["address_lines"]) == {"street", "postal_code", "city"}
    assert {row["organization_id"] for row in rows} == {ORGANIZATION}
    assert None in [row["mobility_customer_id"] for row in rows]
    assert rows[0]["created_at"].endswith("Z")


@pytest.mark.conforms("collective_invoice.fields", "collective_invoice.endpoint")
def test_an_invoice_collects_all_tickets_not_invoiced_yet(sandbox: HandlerClient) -> None:
    customer = sandbox.call(CUSTOMERS)[0]["id"]
    prices = [ticket.price_in_cents for ticket in sandbox.mobility.tickets if ticket.customer_id == customer]
    invoice = sandbox.call(INVOICE, path={"id": customer})
    assert set(invoice) == {
        "id",
        "organization_id",
        "customer_id",
        "mobility_invoice_id",
        "invoice_number",
        "invoice_pdf_url",
        "amount_in_cents",
        "ticket_count",
        "invoiced_at",
        "created_at",
    }
    assert (invoice["amount_in_cents"], invoice["ticket_count"]) == (sum(prices), len(prices))
    assert (invoice["customer_id"], invoice["organization_id"]) == (customer, ORGANIZATION)
    assert str(UUID(invoice["id"])) == invoice["id"]
    assert sandbox.mobility.invoices[0].invoiced_at == NOW


def test_nothing_is_invoiced_twice(sandbox: HandlerClient) -> None:
    customer = sandbox.call(CUSTOMERS)[0]["id"]
    sandbox.call(INVOICE, path={"id": customer})
    assert sandbox.refusal(INVOICE, path={"id": customer}).status == 409
    assert len(sandbox.mobility.invoices) == 1


def test_other_customers_tickets_are_left_alone(sandbox: HandlerClient) -> None:
    first, second = (row["id"] for row in sandbox.call(CUSTOMERS)[:2])
    before = sum(ticket.customer_id == second for ticket in sandbox.mobility.tickets)
    sandbox.call(INVOICE, path={"id": first})
    assert sandbox.call(INVOICE, path={"id": second})["ticket_count"] == before


def test_a_customer_without_tickets_is_refused(sandbox: HandlerClient) -> None:
    assert sandbox.refusal(INVOICE, path={"id": sandbox.call(CUSTOMERS)[-1]["id"]}).status == 409
    assert sandbox.mobility.invoices == []


@pytest.mark.conforms("collective_invoice.fields")
def test_some_invoices_have_no_number_yet(sandbox: HandlerClient) -> None:
    invoices = [sandbox.call(INVOICE, path={"id": row["id"]}) for row in sandbox.call(CUSTOMERS)[:-1]]
    assert {invoice["invoice_number"] is None for invoice in invoices} == {True, False}
    assert all((invoice["invoice_number"] is None) == (invoice["invoice_pdf_url"] is None) for invoice in invoices)
    assert len({invoice["mobility_invoice_id"] for invoice in invoices}) == len(invoices)


@pytest.mark.conforms("collective_invoice.endpoint")
def test_an_id_must_be_the_uuid_of_a_known_customer(sandbox: HandlerClient) -> None:
    assert sandbox.refusal(INVOICE, path={"id": "1"}).status == 400
    assert sandbox.refusal(INVOICE, path={"id": str(uuid4())}).status == 404


def test_another_organisation_has_no_customers_here(sandbox: HandlerClient) -> None:
    customer = sandbox.call(CUSTOMERS)[0]["id"]
    sandbox.key = ApiKey("other", "other", str(uuid4()))
    assert sandbox.call(CUSTOMERS) == []
    assert sandbox.refusal(INVOICE, path={"id": customer}).status == 404


@pytest.mark.conforms("costs.not_shown")
def test_both_calls_are_free_by_assumption_and_only_the_invoice_acts() -> None:
    assert [(route.cost, route.carries_balance, route.acts) for route in ROUTES] == [
        (0, False, False),
        (0, False, True),
    ]
    assert "mobility.cost" in [row[0] for row in ASSUMPTIONS]


def test_the_demo_is_the_same_for_a_seed_and_survives_being_written_down() -> None:
    state = demo_mobility(7, TODAY)
    assert state == demo_mobility(7, TODAY)
    assert msgspec.json.decode(msgspec.json.encode(state), type=MobilityState) == state
    assert demo_mobility(8, TODAY).tickets != state.tickets
