"""What the service's description states of all calls, on the wire: endpoints and costs, headers, envelopes, time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from connector import Connector
from connector.core.manifest.model import Manifest
from connector.core.values import json
from connector.core.writes.marks import without_marks
from connector.runtime.session import Session
from tests.conformance.conftest import Wiretap
from tests.conformance.statements import statements
from tests.support.filled_in import all_inputs
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
_ENDPOINT = re.compile(r"\| (GET|POST|PUT) \| `(\S+)` \| (\d)")
COSTS = {
    f"{found[1]} {found[2]}": int(found[3])
    for statement in statements()
    for quotation in statement.says
    if (found := _ENDPOINT.match(quotation.text))
} | {"POST /v2/banking/payments": 3}
"""By endpoint, what the quoted tables say that a call costs, and what the sentence about payments says."""
COST_NOT_SHOWN = {
    "GET /v2/banking/payments/{id}",
    "POST /v2/banking/connect",
    "PUT /v2/banking/webhook-url",
    "GET /v2/banking/webhook-url",
    "GET /v2/mobility/customers",
    "POST /v2/mobility/customers/{customer_id}/invoice",
    "GET /v2/ledger-duo/belegtypen",
    "GET /v2/ledger-rewe-read/permissions",
}
MOBILITY = ("GET /v2/mobility/customers", "POST /v2/mobility/customers/{customer_id}/invoice")
BARE = {*MOBILITY, "POST /v2/ledger-duo/kassenbuch-advanced"}
"""Endpoints whose answers have no envelope."""
YEAR = "geschaeftsjahrStartDatum"
QUERIES: dict[str, set[str]] = {
    "POST /v2/ledger-duo/kassenbuch-advanced": {"connection_id", "quelle"},
    "GET /v2/ledger-duo/rechnungsordner": {"connection_id", "ordnertyp", "quelle"},
    "GET /v2/ledger-duo/kassenbuecher": {"connection_id", "quelle"},
    "GET /v2/ledger-rewe-read/opos": {"connection_id", "quelle", "stichtag", "side", "opening_balance"},
    "GET /v2/ledger-rewe-read/zahlungsbedingungen": {"connection_id", YEAR, "quelle"},
    "GET /v2/ledger-rewe-read/susa": {"connection_id", YEAR, "kontonummer", "quelle"},
    "GET /v2/ledger-rewe-read/connections": set(),
    "GET /v2/banking/connections/{id}": set(),
    "GET /v2/banking/transactions/{id}": {"account_id"},
    **{endpoint: set() for endpoint in MOBILITY},
}
"""By endpoint, the query that its sentence allows; of names that are not shown, those of manifests/wire.yaml."""
SLOWEST = 30
"""Seconds that open items take, at the longest that is described."""


def _endpoints(manifest: Manifest) -> Iterator[str]:
    """Method and path of each endpoint that a manifest may call; one that sends what it is told to has none."""
    request = manifest.request
    if request is not None:
        for path in [request.path] if request.path else request.choose.values():
            yield f"{request.method} {path}"


def _costs() -> dict[str, tuple[int, bool]]:
    """What each endpoint costs by the actions that call it, and whether that is assumed."""
    return {
        endpoint: (action.cost.credits, action.cost.assumed)
        for action in CONNECTOR.actions.values()
        if not action.picked
        for endpoint in _endpoints(action)
    }


@pytest.mark.conforms(
    "service.names_on_the_wire",
    "cash_book_entry.endpoint",
    "invoice_folders.endpoint",
    "cash_books.endpoint",
    "person_account.endpoint",
    "open_items.endpoint",
    "payment_terms.endpoint",
    "trial_balance.endpoint",
    "ledger_connections.endpoint",
    "bank_connection.endpoint",
    "bank_accounts.endpoint",
    "transactions.endpoint",
    "transaction.endpoint",
    "payments.endpoint",
    "costs.ledger",
    "costs.free",
    "costs.transactions",
    "costs.payment",
)
def test_every_described_endpoint_has_an_action_and_its_cost() -> None:
    assert {endpoint: credits for endpoint, (credits, _) in _costs().items() if endpoint in COSTS} == COSTS
    assert not [endpoint for endpoint in COSTS if _costs()[endpoint][1]], "what is described is not assumed"


@pytest.mark.conforms("costs.not_shown")
def test_a_cost_that_is_not_described_is_marked_as_assumed() -> None:
    assert {endpoint for endpoint, (_, assumed) in _costs().items() if assumed} == COST_NOT_SHOWN


@pytest.mark.conforms(
    "service.base_url",
    "service.names_on_the_wire",
    "service.key_and_cost_of_each_call",
    "endpoints.paths",
    "endpoints.key_header",
    "endpoints.json_bodies",
    "endpoints.quelle",
    "authentication.key",
    "versioning.prefix",
    "versioning.one_server",
    "webhook_url.set",
    "webhook_url.get",
    "mobility_customers.endpoint",
    "collective_invoice.endpoint",
)
@pytest.mark.parametrize("id", sorted(CONNECTOR.actions))
def test_every_request_goes_below_the_base_address_with_key_label_and_json(
    id: str, tapped: Session, wiretap: Wiretap, sandbox: RunningSandbox
) -> None:
    action = CONNECTOR.action(id)
    inputs = all_inputs(action, tapped)
    wiretap.exchanges.clear()
    tapped.invoke(id, inputs)
    request, _ = wiretap.exchanges[-1]
    assert str(request.url).startswith(f"{sandbox.url}/v2/")
    assert request.headers["x-api-key"] == "sandbox-key"
    assert request.headers.get("content-type") == ("application/json" if request.content else None)
    assert not request.content or json.decode(request.content)
    has_label = request.url.path.startswith("/v2/ledger-") and not request.url.path.endswith("/connections")
    assert request.url.params.get("quelle") == ("n8n" if has_label else None)
    assert any(_is_at(endpoint, request) for endpoint in _endpoints(action)) or id == "call_api"
    assert bool(request.content) == (request.method != "GET" and not request.url.path.endswith("/invoice"))


@pytest.mark.conforms(
    "conventions.lists_under_data",
    "conventions.ledger_connections_envelope",
    "conventions.mobility_without_envelope",
    "conventions.credit_balance",
    "conventions.balance_is_not_everywhere",
    "cash_book_entry.endpoint",
    "cash_book_entry.response",
    "invoice_folders.endpoint",
    "cash_books.endpoint",
    "person_account.endpoint",
    "open_items.endpoint",
    "open_items.response",
    "payment_terms.endpoint",
    "trial_balance.endpoint",
    "ledger_connections.endpoint",
    "bank_connection.endpoint",
    "bank_accounts.endpoint",
    "transactions.endpoint",
    "transaction.endpoint",
    "payments.endpoint",
    "mobility_customers.endpoint",
    "collective_invoice.endpoint",
    "costs.ledger",
    "costs.dropdowns",
    "costs.free",
    "costs.transactions",
    "costs.payment",
)
@pytest.mark.parametrize("endpoint", [*COSTS, *MOBILITY])
def test_a_described_endpoint_is_called_read_and_paid_as_described(
    endpoint: str, tapped: Session, wiretap: Wiretap, sandbox: RunningSandbox
) -> None:
    action = next(one for one in CONNECTOR.actions.values() if endpoint in _endpoints(one) and not one.picked)
    inputs = all_inputs(action, tapped)
    before = sandbox.balance()
    result = tapped.invoke(action.id, inputs)
    request, answer = wiretap.exchanges[-1]
    assert _is_at(endpoint, request)
    cost = COSTS.get(endpoint, 0)
    reserved = before - sandbox.available() if result.credits.state == "reserved" else 0
    assert before - sandbox.balance() + reserved == cost == result.credits.cost
    body = json.decode(answer.content)
    output = result.output["items"] if action.is_list else result.output
    inner = without_marks(_inner(endpoint, body))
    assert inner == (output if isinstance(output, list) else {name: output[name] for name in inner})
    is_told = isinstance(body, dict) and "platform" in body
    assert is_told == ("/v2/ledger-" in endpoint and cost > 0)
    assert not is_told or body["platform"]["neuesGuthaben"] == sandbox.balance() == result.credits.balance
    assert endpoint not in QUERIES or set(request.url.params) == QUERIES[endpoint]


def _inner(endpoint: str, body: Any) -> Any:
    """What stands in the envelope that the description gives the answers of an endpoint."""
    if endpoint in BARE:
        return body
    return body["connections" if endpoint.endswith("/connections") else "data"]


def _is_at(endpoint: str, request: httpx.Request) -> bool:
    method, path = endpoint.split()
    return request.method == method and bool(re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path))


@pytest.mark.conforms("endpoints.paths", "versioning.prefix")
def test_every_path_begins_with_the_version() -> None:
    manifests = [*CONNECTOR.actions.values(), *CONNECTOR.triggers.values(), *CONNECTOR.lookups.values()]
    paths = [endpoint.split()[1] for manifest in manifests for endpoint in _endpoints(manifest)]
    assert len(paths) > 30
    assert [path for path in paths if not path.startswith("/v2/")] == []


@pytest.mark.conforms("transactions.no_api")
@pytest.mark.parametrize("id", ["list_transactions", "get_transaction", "new_transaction", "transaction_changed"])
def test_no_call_about_transactions_passes_the_kind_of_bank(id: str) -> None:
    manifest = {**CONNECTOR.actions, **CONNECTOR.triggers}[id]
    assert "api" not in {field.name for field in manifest.inputs}
    assert manifest.request is not None
    assert "api" not in manifest.request.query


@pytest.mark.conforms("constants.open_items_duration")
def test_open_items_are_waited_for_much_longer_than_they_take(tapped: Session, wiretap: Wiretap) -> None:
    action = CONNECTOR.action("get_open_items")
    tapped.invoke("get_open_items", all_inputs(action, tapped))
    request, _ = wiretap.exchanges[-1]
    assert request.extensions["timeout"]["read"] >= 3 * SLOWEST
    assert action.typical >= SLOWEST / 2
