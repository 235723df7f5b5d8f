"""What holds for every operation of the table, whatever it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from connector.operations.operation import Input, Operation
from connector.operations.table import OPERATIONS
from tests.interfaces.host.running_host import RunningHost
from tests.interfaces.host.two_customers import two_customers
from tests.support.running_sandbox import RunningSandbox

WRONG: list[Any] = [[], 1.5, "x", {"x": 1}, True]
"""At least one of these fits no input."""
WITH_FUNCTION = [one for one in OPERATIONS if one.function is not None]
WITH_BODY = [one for one in WITH_FUNCTION if one.placed("body")]
STRICT = [one for one in OPERATIONS if one.strict_query]


@pytest.fixture(scope="module")
def admin(_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    sandbox = RunningSandbox(_server)
    sandbox.order("/reset", seed=1)
    with (
        two_customers(sandbox, tmp_path_factory.mktemp("operations")) as customers,
        customers.caller(customers.tokens["admin"], customers.first.key) as caller,
    ):
        yield caller
    sandbox.close()


def address(operation: Operation[...]) -> str:
    return operation.path.format_map(dict.fromkeys(operation.path_names, "nothing"))


def sent(operation: Operation[...], wrong: Input, value: Any) -> dict[str, Any]:
    fitting: dict[Any, Any] = {bool: True}
    given = {one.name: fitting.get(one.type, "x") for one in operation.placed("body") if one.required}
    return {**given, wrong.name: value}


@pytest.mark.parametrize("operation", WITH_BODY, ids=lambda one: one.name)
def test_an_input_of_a_wrong_kind_is_named_before_anything_is_done(
    admin: httpx.Client, operation: Operation[...]
) -> None:
    for one in operation.placed("body"):
        answers = [
            admin.request(operation.method, address(operation), json=sent(operation, one, value)) for value in WRONG
        ]
        refused = [answer.json() for answer in answers if answer.status_code == 400]
        assert refused, f"{operation.name}: {one.name} takes anything"
        for problem in refused:
            assert (problem["kind"], problem["field"]) == ("input", one.name)
            assert problem["detail"] != problem["remedy"]["de"]
        assert all(answer.status_code < 500 for answer in answers)


@pytest.mark.parametrize("operation", WITH_BODY, ids=lambda one: one.name)
def test_an_input_that_is_missing_or_unknown_is_named(admin: httpx.Client, operation: Operation[...]) -> None:
    unknown = admin.request(operation.method, address(operation), json={"unheard_of": 1}).json()
    assert (unknown["status"], unknown["field"]) == (400, "unheard_of")
    required = [one.name for one in operation.placed("body") if one.required]
    if required:
        missing = admin.request(operation.method, address(operation), json={}).json()
        assert (missing["status"], missing["field"]) == (400, required[0])
        null = admin.request(operation.method, address(operation), json=dict.fromkeys(required)).json()
        assert (null["status"], null["field"]) == (400, required[0])


@pytest.mark.parametrize("operation", STRICT, ids=lambda one: one.name)
def test_a_misspelt_filter_is_refused_instead_of_showing_too_much(
    admin: httpx.Client, operation: Operation[...]
) -> None:
    refused = admin.request(operation.method, address(operation), params={"stat": "unknown"}).json()
    assert (refused["status"], refused["field"]) == (400, "stat")


def test_a_choice_that_is_none_is_told_with_all_that_are(admin: httpx.Client) -> None:
    refused = admin.get("/v1/runs", params={"state": "lost"}).json()
    assert (refused["status"], refused["field"]) == (400, "state")
    assert "unknown" in refused["detail"]
    assert admin.get("/v1/runs", params={"kind": "wrong"}).json()["field"] == "kind"


def test_names_and_addresses_are_unique_and_every_input_has_one_place() -> None:
    assert len({one.name for one in OPERATIONS}) == len({one.address for one in OPERATIONS}) == len(OPERATIONS)
    for one in WITH_FUNCTION:
        assert set(one.path_names) <= {given.name for given in one.inputs}, one.name
        assert not (one.method in {"GET", "DELETE"} and one.placed("body", "whole body")), one.name


def test_a_token_works_no_more_as_soon_as_it_was_revoked(host: RunningHost) -> None:
    made = host.http.post("/v1/tokens", json={"name": "short", "role": "viewer"}).json()
    with host.caller(made["token"], None) as caller:
        assert caller.get("/v1/actions").status_code == 200
        assert host.http.delete("/v1/tokens/short").status_code == 200
        assert caller.get("/v1/actions").status_code == 401
