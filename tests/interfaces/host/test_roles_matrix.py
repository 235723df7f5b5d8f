"""Every route with every role in every workspace, found in the application itself: nothing of another is visible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from running_host import RunningHost
from service_desk import Desk
from starlette.routing import Route
from two_customers import Customer, TwoCustomers, two_customers

from connector.core.roles import INCLUDED, ROLES
from connector.interfaces.host.app import build
from connector.interfaces.host.endpoint import RoleRoute

OPEN = None
NEEDED: dict[tuple[str, str], str | None] = {
    ("GET", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("POST", "/hooks/{token}"): OPEN,
    ("GET", "/"): "viewer",
    ("GET", "/openapi.json"): "viewer",
    ("GET", "/metrics"): "viewer",
    ("GET", "/v1/connector"): "viewer",
    ("GET", "/v1/actions"): "viewer",
    ("GET", "/v1/actions/{id}"): "viewer",
    ("GET", "/v1/lookups"): "viewer",
    ("GET", "/v1/triggers"): "viewer",
    ("GET", "/v1/triggers/{id}"): "viewer",
    ("GET", "/v1/triggers/{id}/sample"): "viewer",
    ("GET", "/v1/subscriptions"): "viewer",
    ("GET", "/v1/subscriptions/{id}"): "viewer",
    ("GET", "/v1/subscriptions/{id}/deliveries"): "viewer",
    ("GET", "/v1/runs"): "viewer",
    ("GET", "/v1/runs/{id}"): "viewer",
    ("POST", "/v1/credential/test"): "operator",
    ("POST", "/v1/actions/{id}/run"): "operator",
    ("POST", "/v1/lookups/{id}"): "operator",
    ("GET", "/v1/lookups/{id}"): "operator",
    ("POST", "/v1/triggers/{id}/poll"): "operator",
    ("GET", "/v1/triggers/{id}/poll"): "operator",
    ("POST", "/v1/subscriptions"): "operator",
    ("DELETE", "/v1/subscriptions/{id}"): "operator",
    ("POST", "/v1/subscriptions/{id}/deliveries/{delivery}/replay"): "operator",
    ("GET", "/v1/approvals"): "viewer",
    ("GET", "/v1/credits"): "viewer",
    ("POST", "/v1/subscriptions/{id}/secret"): "operator",
    ("POST", "/v1/subscriptions/{id}/pause"): "operator",
    ("POST", "/v1/subscriptions/{id}/resume"): "operator",
    ("POST", "/v1/subscriptions/{id}/test"): "operator",
    ("PUT", "/v1/subscriptions/{id}/target"): "operator",
    ("POST", "/v1/runs/{id}/settle"): "operator",
    ("POST", "/v1/runs/{id}/approve"): "approver",
    ("POST", "/v1/runs/{id}/reject"): "approver",
    ("GET", "/v1/policy"): "admin",
    ("PUT", "/v1/policy"): "admin",
    ("GET", "/v1/credentials"): "admin",
    ("PUT", "/v1/credentials/{id}"): "admin",
    ("DELETE", "/v1/credentials/{id}"): "admin",
    ("GET", "/v1/workspaces"): "admin",
    ("POST", "/v1/workspaces"): "admin",
    ("POST", "/v1/keys"): "admin",
    ("PUT", "/v1/keys"): "admin",
    ("DELETE", "/v1/keys"): "admin",
    ("GET", "/v1/tokens"): "admin",
    ("POST", "/v1/tokens"): "admin",
    ("DELETE", "/v1/tokens"): "admin",
    ("DELETE", "/v1/tokens/{name}"): "admin",
    ("POST", "/v1/hooks/rotate"): "admin",
    ("GET", "/v1/audit"): "admin",
    ("GET", "/v1/audit/verify"): "admin",
}
"""The role that each route needs."""
HOST_WIDE = {("GET", "/metrics"), ("POST", "/v1/workspaces")}
"""What concerns all workspaces, so that a token of one does not do."""
MANAGED_BY_HOST = {
    *("/v1/tokens", "/v1/tokens/{name}", "/v1/workspaces", "/v1/keys"),
    *("/v1/audit", "/v1/audit/verify", "/v1/hooks/rotate"),
}
"""What an admin of the whole host manages in every workspace."""
ELSEWHERE = {"/mcp"}
"""Whatever is behind it checks the role itself, call by call."""


@pytest.fixture(scope="module")
def customers(_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoCustomers]:
    desk = Desk(_server)
    desk.order("/reset", seed=1)
    with two_customers(desk, tmp_path_factory.mktemp("matrix")) as both:
        yield both
    desk.close()


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
    elif "/v1/subscriptions/" in path:
        id = customer.subscription if customer else "nothing"
    else:
        id = "new_payment" if "/triggers/" in path else "bank_accounts" if "/lookups/" in path else "list_payments"
    delivery, name = (customer.delivery, f"viewer of {customer.name}") if customer else ("0", "nobody")
    return path.format(id=id, delivery=delivery, token="guessed", name=name)


def body(method: str, path: str) -> dict[str, Any] | None:
    if path.endswith("/settle"):
        return {"happened": True}
    if (method, path) == ("POST", "/v1/tokens"):
        return {"name": "intruder", "role": "admin", "workspace": "kunde-b"}
    return {} if method in {"POST", "PUT"} else None


def refused_for_its_role(answer: httpx.Response) -> bool:
    document = answer.json() if answer.status_code == 403 else {}
    return "needed" in (document.get("details") or {})


def test_every_route_has_an_entry_and_declares_that_role(customers: TwoCustomers) -> None:
    declared: dict[tuple[str, str], str | None] = {}
    for one in routes(customers.host):
        if one.path in ELSEWHERE:
            continue
        assert isinstance(one, RoleRoute), f"{one.path} declares no role"
        for method in methods(one):
            declared[method, one.path] = one.role
            assert one.host_wide == ((method, one.path) in HOST_WIDE)
    assert declared == NEEDED


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("scope", ["of a workspace", "of the whole host"])
def test_each_route_answers_the_roles_that_may_use_it_and_no_other(
    customers: TwoCustomers, role: str, scope: str
) -> None:
    wide = scope == "of the whole host"
    token, key = (customers.tokens[role], customers.first.key) if wide else (customers.first.tokens[role], None)
    with customers.caller(token, key) as caller:
        for (method, path), needed in NEEDED.items():
            answer = caller.request(method, address(path), params={"workspace": "nowhere"} if "keys" in path else {})
            place = f"{role} {scope}: {method} {path}: {answer.status_code} {answer.text[:200]}"
            if needed is OPEN:
                assert answer.status_code in {200, 400, 404}, place
                continue
            assert answer.status_code != 401 or answer.json()["kind"] == "key_refused", place
            assert refused_for_its_role(answer) == (needed not in INCLUDED[role]), place  # type: ignore[index]
            if not wide and (method, path) in HOST_WIDE:
                assert answer.status_code == 403, place


@pytest.mark.parametrize("role", ROLES)
def test_nothing_of_another_workspace_is_visible_or_can_be_changed(customers: TwoCustomers, role: str) -> None:
    first, second = customers.first, customers.second
    for caller in (customers.caller(first.tokens[role]), customers.caller(customers.tokens[role], first.key)):
        with caller:
            for method, path in NEEDED:
                target = address(path, second)
                if (method, path) in HOST_WIDE or path == "/hooks/{token}":
                    continue
                if "Bearer " + customers.tokens[role] == caller.headers["authorization"] and "/v1/" in path:
                    if path in MANAGED_BY_HOST:
                        continue  # an admin of the whole host manages every workspace
                    if (method, path) == ("PUT", "/v1/credentials/{id}"):
                        continue  # its x-api-key is the new key; see the findings
                managed = {"workspace": second.name, "name": f"viewer of {second.name}"}
                params = managed if path in {"/v1/tokens", "/v1/keys"} else {}
                if path.startswith(("/v1/audit", "/v1/hooks")):
                    params = {"workspace": second.name}
                answer = caller.request(method, target, params=params, json=body(method, path))
                place = f"{role}: {method} {target}: {answer.status_code} {answer.text[:300]}"
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
