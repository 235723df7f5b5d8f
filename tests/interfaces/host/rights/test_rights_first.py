"""Who lacks a right hears that, and nothing about what was given, at every door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import update

from connector.core.callers import Actor, Invoker
from connector.core.errors import RightMissing
from connector.store.schema import subscriptions
from connector.store.triggers.subscriptions import ALERTS
from tests.interfaces.host.test_host_mcp import ask, told
from tests.interfaces.host.two_customers import TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox

WRONG_BODIES = {
    "inputs that do not fit": b'{"inputs": {"amount": "viel", "nonsense": 1}}',
    "a field that is unknown": b'{"nonsense": 1}',
    "a member that is given twice": b'{"inputs": {}, "inputs": {}}',
    "no JSON": b"{",
    "no object": b"[]",
    "more than is read": b"[" + b"{}," * 100_000 + b"{}]",
    "nothing": b"",
}


@pytest.fixture(scope="module")
def customers(_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoCustomers]:
    sandbox = RunningSandbox(_server)
    sandbox.order("/reset", seed=1)
    with two_customers(sandbox, tmp_path_factory.mktemp("rights-first")) as both:
        yield both
    sandbox.close()


@pytest.mark.parametrize("body", WRONG_BODIES.values(), ids=WRONG_BODIES.keys())
@pytest.mark.parametrize(
    ("role", "method", "path"),
    [
        ("operator", "POST", "/v1/actions/initiate_payment/run"),
        ("payer", "POST", "/v1/actions/set_webhook_url/run"),
        ("viewer", "POST", "/v1/actions/list_payments/run"),
        ("viewer", "POST", "/v1/lookups/bank_accounts"),
        ("viewer", "POST", "/v1/triggers/new_payment/poll"),
        ("viewer", "POST", "/v1/subscriptions"),
        ("payer", "POST", "/v1/runs/nothing/approve"),
        ("approver", "POST", "/v1/runs/nothing/settle"),
        ("payer", "PUT", "/v1/policy"),
        ("payer", "POST", "/v1/tokens"),
        ("admin", "PUT", "/v1/policy?workspace=kunde-b"),
        ("admin", "POST", "/v1/workspaces"),
    ],
)
def test_over_http_a_missing_right_is_told_before_the_body_is_looked_at(
    customers: TwoCustomers, role: str, method: str, path: str, body: bytes
) -> None:
    with customers.caller(customers.first.tokens[role]) as caller:
        refused = caller.request(method, path, content=body, headers={"x-kontor-base-url": "nonsense"})
    assert (refused.status_code, refused.json()["kind"]) == (403, "right_missing"), refused.text


def test_a_token_for_another_workspace_is_refused_whatever_else_is_wrong(customers: TwoCustomers) -> None:
    with customers.caller(customers.first.tokens["admin"]) as admin:
        for workspace in ("kunde-b", "*"):
            wish = {"name": "", "role": "nonsense", "workspace": workspace, "expires_at": "2026-01-01"}
            assert admin.post("/v1/tokens", json=wish).status_code == 403


def test_whoever_may_not_change_a_subscription_hears_nothing_of_its_state(customers: TwoCustomers) -> None:
    first, database = customers.first, customers.host.state.database
    with customers.caller(first.tokens["admin"]) as admin, customers.caller(first.tokens["operator"]) as operator:
        made = {"trigger": "new_payment", "target_url": "https://a.example/alerts"}
        id = admin.post("/v1/subscriptions", json=made).json()["id"]
        alerts = update(subscriptions).where(subscriptions.c.id == id).values(trigger=ALERTS, state="ended")
        database.write(lambda connection: connection.execute(alerts)).result()
        for method, more, body in (
            ("PUT", "/target", {"target_url": "nonsense"}),
            ("POST", "/pause", None),
            ("POST", "/resume", None),
            ("POST", "/test", None),
            ("POST", "/secret", None),
            ("DELETE", "", None),
            ("POST", "/deliveries/0/replay", None),
        ):
            path = f"/v1/subscriptions/{id}{more}"
            assert operator.request(method, path, json=body).status_code == 403, path
            assert admin.request(method, path, json=body).status_code != 403, path


@pytest.mark.parametrize(
    ("role", "tool", "arguments"),
    [
        ("operator", "initiate_payment", {"amount": "viel", "again": "perhaps", "nonsense": 1}),
        ("payer", "set_webhook_url", {"webhook_url": 7}),
        ("viewer", "list_payments", {"limit": "viele", "page": 3}),
        ("viewer", "list_options", {"lookup": 7, "nonsense": 1}),
        ("viewer", "settle_run", {"happened": "perhaps"}),
    ],
)
def test_over_mcp_a_missing_right_is_told_first(
    customers: TwoCustomers, role: str, tool: str, arguments: dict[str, Any]
) -> None:
    with customers.caller(customers.first.tokens[role]) as agent:
        answer = told(ask(agent, "tools/call", name=tool, arguments=arguments))
    assert answer["isError"]
    assert answer["structuredContent"]["error"]["kind"] == "right_missing", json.dumps(answer)


def test_in_process_a_missing_right_is_told_first(customers: TwoCustomers, sandbox: RunningSandbox) -> None:
    connector = customers.host.state.connector
    by = Invoker("http", actor=Actor("n8n", "operator"))
    with connector.open(sandbox.credential()) as kontor, pytest.raises(RightMissing):
        kontor.invoke("initiate_payment", {"amount": "viel"}, invoker=by, dry_run=True)
