"""MCP at the host: behind the host token, with the caller's own key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.host.running_host import PAYMENT, RunningHost
from tests.interfaces.host.two_customers import two_customers
from tests.support.running_sandbox import RunningSandbox

pytest.importorskip("mcp")


def ask(caller: httpx.Client, method: str, **params: Any) -> httpx.Response:
    return caller.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
        headers={"accept": "application/json, text/event-stream"},
    )


def told(answer: httpx.Response) -> dict[str, Any]:
    data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    document: dict[str, Any] = json.loads(data[-1])
    return document["result"]  # type: ignore[no-any-return]


def test_an_agent_finds_the_actions_and_runs_one_under_its_own_key(host: RunningHost) -> None:
    listed = ask(host.http, "tools/list")
    assert listed.status_code == 200, listed.text
    assert "list_bank_accounts" in {tool["name"] for tool in told(listed)["tools"]}
    ran = told(ask(host.http, "tools/call", name="list_bank_accounts", arguments={}))
    assert ran["structuredContent"]["ok"] is True


def test_an_agent_without_the_host_token_gets_nothing(host: RunningHost) -> None:
    with host.caller(token=None) as stranger:
        assert ask(stranger, "tools/list").status_code == 401


def test_an_agent_may_do_what_the_role_of_its_token_allows_and_no_more(sandbox: RunningSandbox, tmp_path: Path) -> None:
    with two_customers(sandbox, tmp_path) as customers:
        for role, tool, needed in (
            ("viewer", "list_bank_accounts", "operator"),
            ("viewer", "list_options", "operator"),
            ("operator", "list_bank_accounts", None),
            ("operator", "initiate_payment", "payer"),
            ("payer", "set_webhook_url", "admin"),
        ):
            inputs = {
                "initiate_payment": PAYMENT,
                "set_webhook_url": {"webhook_url": "https://hooks.muster.example/kontor"},
                "list_options": {"lookup": "bank_accounts"},
            }
            with customers.caller(customers.first.tokens[role]) as caller:
                answer = told(ask(caller, "tools/call", name=tool, arguments=inputs.get(tool, {})))
            if needed is None:
                assert answer["structuredContent"]["ok"] is True
            else:
                assert answer["structuredContent"]["error"]["details"]["needed"] == needed, (role, tool)


def test_what_an_agent_cannot_have_confirmed_waits_for_another_token_unless_the_policy_allows_it(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
    with two_customers(sandbox, tmp_path) as customers:
        tokens = customers.first.tokens
        before = len(sandbox.api.get("/v2/banking/payments").json()["data"])
        with customers.caller(tokens["payer"]) as agent, customers.caller(tokens["admin"]) as admin:
            asked = told(ask(agent, "tools/call", name="initiate_payment", arguments=PAYMENT))["structuredContent"]
            assert (asked["ok"], asked["state"]) == (True, "awaiting_approval")
            assert agent.post(f"/v1/runs/{asked['run']}/approve").status_code == 403, "an agent cannot confirm itself"
            assert len(sandbox.api.get("/v2/banking/payments").json()["data"]) == before
            (waiting,) = admin.get("/v1/approvals").json()["runs"]
            assert (waiting["face"], waiting["approval"]["reasons"]) == ("mcp", ["agent"])
            assert admin.put("/v1/policy", json={"agents": ["initiate_payment"]}).status_code == 200
            other = {**PAYMENT, "amount": 12}
            paid = told(ask(agent, "tools/call", name="initiate_payment", arguments=other))["structuredContent"]
            assert (paid["ok"], paid["output"]["amount"]) == (True, 12)


def test_a_page_of_an_answer_is_shown_only_to_the_token_that_asked(
    sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from connector.interfaces.mcp import answer_pages

    monkeypatch.setattr(answer_pages, "MAX_ITEMS", 1)
    with two_customers(sandbox, tmp_path) as customers:
        tokens, of_account = customers.first.tokens, {"account_id": MAIN_ACCOUNT}
        with customers.caller(tokens["operator"]) as asked, customers.caller(tokens["payer"]) as other:
            first = told(ask(asked, "tools/call", name="list_transactions", arguments=of_account))["structuredContent"]
            page = {**of_account, "page": first["next"]}
            theirs = told(ask(other, "tools/call", name="list_transactions", arguments=page))["structuredContent"]
            second = told(ask(asked, "tools/call", name="list_transactions", arguments=page))["structuredContent"]
        assert theirs["error"]["field"] == "page"
        assert second["output"]["items"] != first["output"]["items"]
    asked_for = [row for row in sandbox.requests() if row["path"] == "/v2/banking/transactions"]
    assert len(asked_for) == 1, "the second page is what is left of the first answer"
