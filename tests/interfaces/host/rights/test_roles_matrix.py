"""Every operation of the table with every role in every workspace: nothing of another is visible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Route

from connector.core.callers import INCLUDED, ROLES, Role
from connector.core.errors import KontorError, RightMissing
from connector.interfaces.cli import administration
from connector.interfaces.host.app import build
from connector.interfaces.host.endpoint import OperationRoute
from connector.operations import calls, invitations, people
from connector.operations.operation import Operation
from connector.operations.table import OPERATIONS
from tests.interfaces.host.running_host import RunningHost
from tests.interfaces.host.two_customers import Customer, TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox

OPEN = None
NEEDED: dict[str | None, set[str]] = {
    OPEN: {
        "GET /healthz",
        "GET /readyz",
        "POST /hooks/{token}",
        "POST /v1/sign-in",
        "POST /v1/invitations/accept",
    },
    "viewer": {
        "GET /",
        "GET /openapi.json",
        "GET /metrics",
        "GET /v1/connector",
        "GET /v1/actions",
        "GET /v1/actions/{id}",
        "GET /v1/lookups",
        "GET /v1/triggers",
        "GET /v1/triggers/{id}",
        "GET /v1/triggers/{id}/sample",
        "GET /v1/subscriptions",
        "GET /v1/subscriptions/{id}",
        "GET /v1/subscriptions/{id}/deliveries",
        "GET /v1/runs",
        "GET /v1/runs/{id}",
        "GET /v1/approvals",
        "GET /v1/credits",
        "GET /v1/attention",
        "GET /v1/me",
        "GET /v1/policy/changes",
        "DELETE /v1/sign-in",
    },
    "operator": {
        "POST /v1/credential/test",
        "POST /v1/actions/{id}/run",
        "POST /v1/lookups/{id}",
        "GET /v1/lookups/{id}",
        "POST /v1/triggers/{id}/poll",
        "GET /v1/triggers/{id}/poll",
        "POST /v1/triggers/{id}/sample",
        "POST /v1/subscriptions",
        "DELETE /v1/subscriptions/{id}",
        "POST /v1/subscriptions/{id}/deliveries/{delivery}/replay",
        "POST /v1/subscriptions/{id}/secret",
        "POST /v1/subscriptions/{id}/pause",
        "POST /v1/subscriptions/{id}/resume",
        "POST /v1/subscriptions/{id}/test",
        "PUT /v1/subscriptions/{id}/target",
        "POST /v1/runs/{id}/settle",
    },
    "approver": {
        "POST /v1/runs/{id}/approve",
        "POST /v1/runs/{id}/reject",
        "POST /v1/policy/changes/{id}/approve",
        "POST /v1/policy/changes/{id}/reject",
    },
    "admin": {
        "GET /v1/policy",
        "PUT /v1/policy",
        "GET /v1/credentials",
        "PUT /v1/credentials/{id}",
        "DELETE /v1/credentials/{id}",
        "GET /v1/workspaces",
        "POST /v1/workspaces",
        "POST /v1/keys",
        "PUT /v1/keys",
        "DELETE /v1/keys",
        "POST /v1/keys/check",
        "GET /v1/people",
        "POST /v1/people",
        "PUT /v1/people/{id}",
        "DELETE /v1/people/{id}",
        "GET /v1/tokens",
        "POST /v1/tokens",
        "DELETE /v1/tokens",
        "DELETE /v1/tokens/{name}",
        "POST /v1/hooks/rotate",
        "GET /v1/audit",
        "GET /v1/audit/verify",
        "GET /v1/rights",
        "POST /v1/rights/clear",
    },
}
"""Which operations each role is needed for: a change of the table that grants a right is a change here."""
HOST_WIDE = {"GET /metrics", "POST /v1/workspaces"}
"""What concerns all workspaces, so that a token of one does not do."""
MANAGED_BY_HOST = {
    *("/v1/tokens", "/v1/tokens/{name}", "/v1/workspaces", "/v1/keys"),
    *("/v1/audit", "/v1/audit/verify", "/v1/hooks/rotate", "/v1/policy", "/v1/approvals"),
    *("/v1/attention", "/v1/keys/check", "/v1/people", "/v1/people/{id}"),
    *("/v1/policy/changes", "/v1/policy/changes/{id}/approve", "/v1/policy/changes/{id}/reject"),
}
"""What an admin of the whole host manages in every workspace."""
TRIED = [one for one in OPERATIONS if one is not invitations.sign_out]
"""Whoever signs out has nothing to try the others with; it is tried in `people/test_second_person.py`."""
ELSEWHERE = {"/mcp"}
"""Whatever is behind it checks the role itself, call by call."""


@pytest.fixture(scope="module")
def customers(_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoCustomers]:
    sandbox = RunningSandbox(_server)
    sandbox.order("/reset", seed=1)
    with two_customers(sandbox, tmp_path_factory.mktemp("matrix")) as both:
        yield both
    sandbox.close()


def routes(host: RunningHost) -> list[Route]:
    return [one for one in build(host.state)._app.routes if isinstance(one, Route)]


def methods(route: Route) -> set[str]:
    return set(route.methods or ()) - {"HEAD"}


def address(path: str, customer: Customer | None = None) -> str:
    """The path with what belongs to the customer, or with what nobody has."""
    if "/v1/runs/" in path:
        id = customer.run if customer else "nothing"
    elif "/v1/credentials/" in path:
        id = customer.credential if customer else "nothing"
    elif "/v1/people/" in path:
        id = customer.person if customer else "nothing"
    elif "/v1/policy/changes/" in path:
        id = "nothing"
    elif "/v1/subscriptions/" in path:
        id = customer.subscription if customer else "nothing"
    else:
        id = "new_payment" if "/triggers/" in path else "bank_accounts" if "/lookups/" in path else "list_payments"
    delivery, name = (customer.delivery, f"viewer of {customer.name}") if customer else ("0", "nobody")
    return path.format(id=id, delivery=delivery, token="guessed", name=name)


BODY = {
    "happened": True,
    "name": "intruder",
    "role": "admin",
    "trigger": "nothing",
    "target_url": "https://intruder.example/hook",
    "subject": "policies/kunde-b",
}
"""What an intruder gives for inputs that are required."""


def body(operation: Operation[...]) -> dict[str, Any] | None:
    """Every required input, so that nothing but a right stands in the way."""
    if operation is people.create_token:
        return {"name": "intruder", "role": "admin", "workspace": "kunde-b"}
    given = {one.name: BODY[one.name] for one in operation.placed("body") if one.required}
    return given if operation.method in {"POST", "PUT"} else None


def refused_for_its_role(answer: httpx.Response) -> bool:
    document = answer.json() if answer.status_code == 403 else {}
    return "needed" in (document.get("details") or {})


def test_every_route_is_an_operation_of_the_table(customers: TwoCustomers) -> None:
    served = []
    for one in routes(customers.host):
        if one.path in ELSEWHERE:
            continue
        assert isinstance(one, OperationRoute), f"{one.path} is no operation"
        assert (methods(one), one.path) == ({one.operation.method}, one.operation.path)
        served.append(one.operation)
    assert sorted(one.address for one in served) == sorted(one.address for one in OPERATIONS)
    assert {one.name for one in served} == {one.name for one in OPERATIONS}


def test_every_operation_needs_the_role_that_stands_here() -> None:
    assert {one.address: one.role for one in OPERATIONS} == {
        address: role for role, addresses in NEEDED.items() for address in addresses
    }
    assert {one.address for one in OPERATIONS if one.host_wide} == HOST_WIDE


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("scope", ["of a workspace", "of the whole host"])
def test_each_operation_answers_the_roles_that_may_use_it_and_no_other(
    customers: TwoCustomers, role: str, scope: str
) -> None:
    wide = scope == "of the whole host"
    token, key = (customers.tokens[role], customers.first.key) if wide else (customers.first.tokens[role], None)
    with customers.caller(token, key) as caller:
        for operation in TRIED:
            path, nowhere = operation.path, {"workspace": "nowhere"} if "keys" in operation.path else {}
            answer = caller.request(operation.method, address(path), params=nowhere, content=b"{no JSON")
            place = f"{role} {scope}: {operation.address}: {answer.status_code} {answer.text[:200]}"
            if operation.role is OPEN:
                assert answer.status_code in {200, 400, 404}, place
                continue
            assert answer.status_code != 401 or answer.json()["kind"] == "key_refused", place
            assert refused_for_its_role(answer) == (operation.role not in INCLUDED[role]), place  # type: ignore[index]
            if not wide and operation.host_wide:
                assert answer.status_code == 403, place


@pytest.mark.parametrize("role", ROLES)
def test_nothing_of_another_workspace_is_visible_or_can_be_changed(customers: TwoCustomers, role: str) -> None:
    first, second = customers.first, customers.second
    for caller in (customers.caller(first.tokens[role]), customers.caller(customers.tokens[role], first.key)):
        with caller:
            for operation in TRIED:
                path, target = operation.path, address(operation.path, second)
                if operation.host_wide or operation is calls.receive_event:
                    continue
                if "Bearer " + customers.tokens[role] == caller.headers["authorization"] and "/v1/" in path:
                    if path in MANAGED_BY_HOST:
                        continue  # an admin of the whole host manages every workspace
                    if operation is people.rotate_credential:
                        continue  # its x-api-key is the new key; see the findings
                named = {"workspace": second.name, "name": f"viewer of {second.name}"}
                asked = {one.name for one in operation.placed("query")}
                params = {name: value for name, value in named.items() if name in asked}
                answer = caller.request(operation.method, target, params=params, json=body(operation))
                place = f"{role}: {operation.method} {target}: {answer.status_code} {answer.text[:300]}"
                own = {mark for mark in second.marks if mark in target or mark in str(params)}
                shown = {mark for mark in second.marks - own if mark in answer.text}
                assert not shown, place
                if own:
                    assert answer.status_code in {401, 403, 404, 422}, place
    untouched(customers)


def untouched(customers: TwoCustomers) -> None:
    """The second customer has everything as before."""
    second = customers.second
    with customers.caller(second.tokens["admin"]) as caller:
        assert caller.get(f"/v1/subscriptions/{second.subscription}").json()["subscription"]["state"] == "active"
        assert caller.get(f"/v1/runs/{second.run}").json()["run"]["state"] == "done"
        assert [one["revoked_at"] for one in caller.get("/v1/credentials").json()["credentials"]] == [None]
        listed = caller.get("/v1/tokens").json()["tokens"]
        assert {one["name"] for one in listed} == {f"{role} of {second.name}" for role in ROLES}
        assert {one["revoked_at"] for one in listed} == {None}
        assert caller.post("/v1/credential/test").status_code == 200


def test_a_workspace_sees_its_own(customers: TwoCustomers) -> None:
    untouched(customers)
    for customer in (customers.first, customers.second):
        with customers.caller(customer.tokens["viewer"]) as caller:
            listed = caller.get("/v1/subscriptions").json()["subscriptions"]
            assert [one["id"] for one in listed] == [customer.subscription]
            assert [one["id"] for one in caller.get("/v1/runs").json()["runs"]] == [customer.run]
            delivered = caller.get(f"/v1/subscriptions/{customer.subscription}/deliveries").json()["deliveries"]
            assert customer.delivery in [one["id"] for one in delivered]


def test_a_revoked_or_expired_token_opens_nothing(customers: TwoCustomers) -> None:
    host = customers.host
    for more, revoked in (({}, True), ({"expires_at": "2020-01-01T00:00:00Z"}, False)):
        name = "short" if more else "revoked"
        made = host.http.post("/v1/tokens", json={"name": name, "role": "admin", "workspace": "kunde-a", **more}).json()
        with customers.caller(made["token"]) as caller:
            if revoked:
                assert caller.get("/v1/runs").status_code == 200
                assert host.http.delete(f"/v1/tokens/{name}", params={"workspace": "kunde-a"}).status_code == 200
            assert caller.get("/v1/runs").status_code == 401
        assert host.http.delete("/v1/tokens", params={"name": name}).status_code in {200, 422}


def test_the_last_use_of_a_token_is_recorded(customers: TwoCustomers, tmp_path: Path) -> None:
    with customers.caller(customers.first.tokens["viewer"]) as caller:
        caller.get("/v1/runs")
    with customers.caller(customers.first.tokens["admin"]) as admin:
        used = {one["name"]: one["last_used_at"] for one in admin.get("/v1/tokens").json()["tokens"]}
    assert used["viewer of kunde-a"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("scope", ["of a workspace", "of the whole host"])
def test_each_tool_of_an_agent_answers_the_roles_that_may_call_it_and_no_other(
    customers: TwoCustomers, role: Role, scope: str
) -> None:
    pytest.importorskip("mcp")
    from connector.interfaces.mcp.tool_calls import ROLE_TO_CALL
    from connector.runtime.requests.rights import role_to_run
    from tests.interfaces.host.test_host_mcp import ask, told

    wide = scope == "of the whole host"
    token, key = (customers.tokens[role], customers.first.key) if wide else (customers.first.tokens[role], None)
    actions = customers.host.state.connector.actions
    with customers.caller(token, key) as caller:
        tools = {tool["name"] for tool in told(ask(caller, "tools/list"))["tools"]}
        assert tools == set(actions) | set(ROLE_TO_CALL)
        for tool in sorted(tools):
            needed = ROLE_TO_CALL[tool] if tool in ROLE_TO_CALL else role_to_run(actions[tool])
            # Nothing fits, so that nothing is sent where the role would do.
            answer = told(ask(caller, "tools/call", name=tool, arguments={"unheard_of": 1, "page": 3}))
            error = (answer.get("structuredContent") or {}).get("error") or {}
            is_refused = "needed" in (error.get("details") or {})
            assert is_refused == (needed not in INCLUDED[role]), (role, tool, error)


@pytest.mark.parametrize("role", ROLES)
def test_each_action_over_http_answers_the_roles_that_may_run_it_and_no_other(
    customers: TwoCustomers, role: Role
) -> None:
    from connector.runtime.requests.rights import role_to_run

    with customers.caller(customers.first.tokens[role]) as caller:
        for id, action in customers.host.state.connector.actions.items():
            answer = caller.post(f"/v1/actions/{id}/run", json={"inputs": {"unheard_of": 1}, "dry_run": True})
            assert refused_for_its_role(answer) == (role_to_run(action) not in INCLUDED[role]), (role, id, answer.text)


@pytest.mark.parametrize("role", ROLES)
def test_the_command_line_does_at_a_host_what_the_role_of_its_token_allows_and_no_more(
    customers: TwoCustomers, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(administration.URL, customers.host.url)
    monkeypatch.setenv(administration.TOKEN, customers.first.tokens[role])
    monkeypatch.delenv(administration.KEY, raising=False)
    for operation in OPERATIONS:
        if operation.role is OPEN or operation.function is None or operation.placed("header"):
            continue  # what has an API key in a header is for who has one
        given = {one.name: "nothing" for one in operation.inputs if one.required}
        given |= {"given": {"unheard_of": 1}} if operation.placed("whole body") else {}
        try:
            administration.call(operation, **given)
            refused = False
        except KontorError as error:
            refused = isinstance(error, RightMissing)
        may = operation.role in INCLUDED[role] and not operation.host_wide
        assert refused == (not may), f"{role}: {operation.name}"
