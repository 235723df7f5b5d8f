"""Figures and forms that the service's description states and that hold for all calls: costs, paths, headers, time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from filled_in import NORDLICHT
from service_desk import Desk

from connector import Connector, Credential
from connector.client import Client, KeyState
from connector.client.call import Call, prepare
from connector.client.verdict import Answer, error_of
from connector.core.manifest.model import Manifest
from connector.core.values import json
from connector.core.wire import Wire
from connector.runtime.request import build_call
from connector.sandbox.banking.demo import MAIN_ACCOUNT

CONNECTOR = Connector("unused")
CREDENTIAL = Credential("https://service.example", "sk_secret")
COSTS = {
    "POST /v2/ledger-duo/kassenbuch-advanced": 1,
    "GET /v2/ledger-duo/rechnungsordner": 1,
    "GET /v2/ledger-duo/kassenbuecher": 1,
    "POST /v2/ledger-rewe/personenkonto": 1,
    "GET /v2/ledger-rewe-read/opos": 5,
    "GET /v2/ledger-rewe-read/zahlungsbedingungen": 1,
    "GET /v2/ledger-rewe-read/susa": 1,
    "GET /v2/ledger-rewe-read/connections": 0,
    "GET /v2/banking/connections/{id}": 0,
    "GET /v2/banking/accounts": 0,
    "GET /v2/banking/transactions": 1,
    "GET /v2/banking/transactions/{id}": 1,
    "GET /v2/banking/payments": 0,
    "POST /v2/banking/payments": 3,
}
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


@pytest.mark.conforms("endpoints.paths", "versioning.prefix")
def test_every_path_begins_with_the_version() -> None:
    manifests = [*CONNECTOR.actions.values(), *CONNECTOR.triggers.values(), *CONNECTOR.lookups.values()]
    paths = [endpoint.split()[1] for manifest in manifests for endpoint in _endpoints(manifest)]
    assert len(paths) > 30
    assert [path for path in paths if not path.startswith("/v2/")] == []
    assert prepare(Call("GET", paths[0]), CREDENTIAL).url == f"https://service.example{paths[0]}"


@pytest.mark.conforms(
    "service.key_and_cost_of_each_call", "endpoints.key_header", "endpoints.json_bodies", "authentication.key"
)
@pytest.mark.parametrize("id", sorted(id for id, action in CONNECTOR.actions.items() if action.request))
def test_every_request_carries_the_key_and_announces_its_body_as_json(id: str) -> None:
    action = CONNECTOR.action(id)
    given = {field.name: field.example for field in action.inputs if not field.place.startswith("beside_")}
    inputs = CONNECTOR.inputs(action).clean(given)
    request = prepare(build_call(action, inputs, Wire.load({})), CREDENTIAL)
    assert request.headers["x-api-key"] == "sk_secret"
    assert request.headers.get("content-type") == ("application/json" if request.content else None)
    assert request.content is None or json.decode(request.content)


@pytest.mark.conforms("transactions.no_api")
@pytest.mark.parametrize("id", ["list_transactions", "get_transaction", "new_transaction", "transaction_changed"])
def test_no_call_about_transactions_passes_the_kind_of_bank(id: str) -> None:
    manifest = {**CONNECTOR.actions, **CONNECTOR.triggers}[id]
    assert "api" not in {field.name for field in manifest.inputs}
    assert manifest.request is not None
    assert "api" not in manifest.request.query


@pytest.mark.conforms("conventions.balance_is_not_everywhere")
def test_banking_answers_tell_no_balance_and_the_client_counts_on(desk: Desk) -> None:
    books = {"connection_id": NORDLICHT}
    with Client(Credential(desk.url, "sandbox-key"), state=KeyState()) as client:
        told = client.call(Call("GET", "/v2/ledger-duo/kassenbuecher", books, carries_quelle=True, cost=1))
        silent = client.call(Call("GET", "/v2/banking/transactions", {"account_id": MAIN_ACCOUNT}, cost=1))
    assert "platform" in told.value
    assert set(silent.value) == {"data"}
    assert told.charge.balance is not None
    assert silent.charge.balance == told.charge.balance - 1 == desk.balance()


@pytest.mark.conforms("ledger_error.details", "errors.body")
def test_what_the_provider_adds_to_an_error_reaches_the_caller() -> None:
    body = {"error": "no", "code": "ledger_endpoint_not_authorized", "details": {"recht": "RE-123", "versuch": 2}}
    answer = Answer(403, {}, json.encode(body))
    error = error_of(
        Call("GET", "/v2/ledger-rewe-read/susa"), answer, host="service.example", secret="sk_secret", believed=()
    )
    assert error.as_dict()["details"]["body"]["details"] == body["details"]


@pytest.mark.conforms("constants.open_items_duration")
def test_open_items_are_waited_for_much_longer_than_they_take() -> None:
    action = CONNECTOR.action("get_open_items")
    assert action.typical >= SLOWEST / 2
    assert action.timeout >= 3 * SLOWEST
