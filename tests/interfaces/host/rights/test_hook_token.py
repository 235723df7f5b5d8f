"""The token of the webhook URL lets anybody send events: only admins see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.interfaces.host.two_customers import TwoCustomers, two_customers
from tests.support.running_sandbox import RunningSandbox

TOKEN = "q8Zr3v-secret-token-of-the-hook"
URL = f"https://hub.example/hooks/{TOKEN}"
PATH = "/v2/banking/webhook-url"


@pytest.fixture(scope="module")
def customers(_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoCustomers]:
    sandbox = RunningSandbox(_server)
    sandbox.order("/reset", seed=1)
    with two_customers(sandbox, tmp_path_factory.mktemp("hook")) as both:
        sandbox.with_key(both.first.key).put(PATH, json={"webhook_url": URL}).raise_for_status()
        yield both
    sandbox.close()


@pytest.mark.parametrize(("action", "inputs"), [("get_webhook_url", {}), ("call_api", {"method": "GET", "path": PATH})])
def test_only_an_admin_sees_the_token(customers: TwoCustomers, action: str, inputs: dict[str, Any]) -> None:
    shown = {}
    for role in ("operator", "payer", "admin"):
        with customers.caller(customers.first.tokens[role]) as caller:
            answer = caller.post(f"/v1/actions/{action}/run", json={"inputs": inputs})
            assert answer.status_code == 200, answer.text
            shown[role] = answer.text
    assert TOKEN in shown["admin"]
    for role in ("operator", "payer"):
        assert TOKEN not in shown[role]
        assert "hub.example" in shown[role]


def test_only_an_admin_sees_the_token_in_a_run_that_set_it(customers: TwoCustomers) -> None:
    with customers.caller(customers.first.tokens["admin"]) as caller:
        answer = caller.post("/v1/actions/set_webhook_url/run", json={"inputs": {"webhook_url": URL}, "key": "by-hand"})
        assert answer.status_code == 200, answer.text
        [run] = caller.get("/v1/runs", params={"key": "by-hand"}).json()["runs"]
    assert run["inputs"]["webhook_url"] == URL
    for role in ("viewer", "operator", "payer", "approver"):
        with customers.caller(customers.first.tokens[role]) as caller:
            for path in ("/v1/runs", f"/v1/runs/{run['id']}"):
                answer = caller.get(path)
                assert answer.status_code == 200, answer.text
                assert TOKEN not in answer.text, (role, path)
                assert "hub.example" in answer.text
