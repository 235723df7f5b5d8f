"""Whoever lacks a right is in the audit log, by whichever face they came: HTTP, MCP or the console."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector.core.callers import Actor
from connector.core.errors import RightMissing
from connector.runtime.records.refusals import RATE
from tests.interfaces.host.rights.staff import LARGE, Staff
from tests.interfaces.host.running_host import PAYMENT
from tests.interfaces.host.test_host_mcp import ask, told
from tests.interfaces.host.two_customers import two_customers
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.long

RUN = "/v1/actions/initiate_payment/run"


@pytest.fixture
def staff(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Staff]:
    with two_customers(sandbox, tmp_path) as both:
        yield Staff(both, sandbox)


def refused(staff: Staff) -> list[dict[str, Any]]:
    with staff.by("admin") as admin:
        answer = admin.get("/v1/audit", params={"limit": 1000})
        assert answer.status_code == 200, answer.text
        return [one for one in answer.json()["entries"] if one["what"] == "right.refused"]


def call(staff: Staff, role: str, tool: str, **arguments: Any) -> dict[str, Any]:
    with staff.by(role) as agent:
        document: dict[str, Any] = told(ask(agent, "tools/call", name=tool, arguments=arguments))["structuredContent"]
        return document


def test_an_agent_whose_role_does_not_do_is_audited_with_the_tool(staff: Staff) -> None:
    pytest.importorskip("mcp")
    assert call(staff, "viewer", "list_bank_accounts")["error"]["kind"] == "right_missing"
    assert call(staff, "operator", "initiate_payment", **PAYMENT)["error"]["kind"] == "right_missing"
    assert call(staff, "viewer", "list_options", lookup="bank_accounts")["error"]["kind"] == "right_missing"
    shown = [(one["face"], one["actor"], one["origin"], one["details"]["route"]) for one in refused(staff)]
    assert shown == [
        ("mcp", "viewer of kunde-a", "127.0.0.1", "tool list_bank_accounts"),
        ("mcp", "operator of kunde-a", "127.0.0.1", "tool initiate_payment"),
        ("mcp", "viewer of kunde-a", "127.0.0.1", "tool list_options"),
    ]


def test_an_agent_whom_the_policy_refuses_is_audited(staff: Staff) -> None:
    pytest.importorskip("mcp")
    staff.set_policy(most_each=1000)
    assert call(staff, "payer", "initiate_payment", **LARGE)["error"]["kind"] == "right_missing"
    (one,) = refused(staff)
    assert (one["face"], one["details"]["action"]) == ("mcp", "initiate_payment")
    assert "1,000.00" in one["details"]["why"]


def test_an_agent_that_settles_by_itself_is_audited(staff: Staff) -> None:
    pytest.importorskip("mcp")
    answer = call(staff, "admin", "settle_run", run=staff.own.run, happened=True)
    assert answer["error"]["kind"] == "right_missing"
    (one,) = refused(staff)
    assert (one["face"], one["details"]["route"]) == ("mcp", "tool settle_run")


def test_a_refusal_over_http_is_audited_once_with_its_route(staff: Staff) -> None:
    staff.set_policy(most_each=1000)
    assert staff.pay(role="operator").status_code == staff.pay().status_code == 403
    waits = staff.by("viewer")
    assert waits.post(f"/v1/runs/{staff.own.run}/approve").status_code == 403
    waits.close()
    shown = [(one["face"], one["details"]["route"], one["details"].get("action")) for one in refused(staff)]
    assert shown == [
        ("http", f"POST {RUN.replace('initiate_payment', '{id}')}", "initiate_payment"),
        ("http", f"POST {RUN.replace('initiate_payment', '{id}')}", "initiate_payment"),
        ("http", "POST /v1/runs/{id}/approve", None),
    ]


def test_approving_ones_own_is_audited(staff: Staff) -> None:
    staff.set_policy(approve_above=0)
    run = staff.pay(role="admin").json()["run"]
    assert staff.decide(run, role="admin").status_code == 403
    (one,) = refused(staff)
    assert (one["actor"], one["details"]["route"]) == ("admin of kunde-a", "POST /v1/runs/{id}/approve")


def test_a_flood_of_refusals_over_mcp_leaves_few_entries(staff: Staff) -> None:
    pytest.importorskip("mcp")
    for _ in range(2 * int(RATE.burst)):
        call(staff, "viewer", "list_bank_accounts")
    assert RATE.burst <= len(refused(staff)) <= RATE.burst + 5


def test_what_a_browser_may_not_do_is_audited(staff: Staff) -> None:
    pytest.importorskip("nicegui")
    from connector.interfaces.console.console_context import ConsoleContext
    from connector.interfaces.console.forms.form_run import FormRun
    from connector.operations import runs

    staff.set_policy(most_each=1000)
    state = staff.host.state
    pages = {
        role: ConsoleContext(state, "/console", Actor(role, role, staff.own.name))  # type: ignore[arg-type]
        for role in ("viewer", "operator", "payer")
    }

    async def pay(role: str) -> None:
        sending = await FormRun(pages[role], state.connector.action("initiate_payment")).start(LARGE)
        await sending.work

    async def approve() -> None:
        await runs.decide_run(state.context, pages["payer"].actor, staff.own.run, approve=True)

    for work in (pay("viewer"), pay("operator"), pay("payer"), approve()):
        with pytest.raises(RightMissing):
            asyncio.run(work)
    shown = Counter((one["actor"], one["details"].get("action")) for one in refused(staff))
    assert shown == {
        ("viewer", None): 1,
        ("operator", "initiate_payment"): 1,
        ("payer", "initiate_payment"): 1,
        ("payer", None): 1,
    }
