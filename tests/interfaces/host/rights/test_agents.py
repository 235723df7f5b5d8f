"""An agent is under the policy `agents` at every door: by its token, or because its adapter says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector import Connector, Credential
from connector.core.callers import Actor, Face, Invoker
from connector.core.errors import RightMissing
from tests.interfaces.host.running_host import KEY, PAYMENT, RunningHost, running
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

PAYMENTS = "/v2/banking/payments"
ENTRY = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "transaktionsdatum": "2026-05-04T10:30:00+02:00",
    "belegzeilen": [{"betrag": "-41.65"}],
}
WRITES = {"initiate_payment": PAYMENT, "create_cash_book_entry": ENTRY}
RUN = "/v1/actions/initiate_payment/run"


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path / "host") as host:
        yield host


def caller(host: RunningHost, name: str, role: str = "payer", **more: Any) -> httpx.Client:
    made = host.http.post("/v1/tokens", json={"name": name, "role": role, "person": name.title(), **more})
    assert made.status_code == 201, made.text
    assert made.json().get("agent", False) is more.get("agent", False)
    return host.caller(made.json()["token"], KEY)


def writes(sandbox: RunningSandbox) -> int:
    return sum(one["method"] == "POST" for one in sandbox.requests() if one["path"].startswith("/v2/"))


@pytest.mark.parametrize("action", WRITES)
@pytest.mark.parametrize("more", [{}, {"key": "lauf-7"}, {"again": True}, {"key": "lauf-7", "guarded": True}])
def test_what_an_agent_writes_waits_for_a_person(
    action: str, more: dict[str, Any], host: RunningHost, sandbox: RunningSandbox
) -> None:
    agent = caller(host, "bot", agent=True)
    answer = agent.post(f"/v1/actions/{action}/run", json={"inputs": WRITES[action], **more})
    assert (answer.status_code, answer.json()["state"]) == (202, "awaiting_approval")
    assert writes(sandbox) == 0


def test_an_adapter_says_so_of_a_token_that_is_not_marked(host: RunningHost, sandbox: RunningSandbox) -> None:
    plain = caller(host, "ada")
    assert plain.post(RUN, json={"inputs": PAYMENT, "agent": True}).status_code == 202
    assert writes(sandbox) == 0
    assert plain.post(RUN, json={"inputs": PAYMENT, "again": True, "agent": False}).status_code == 200


def test_saying_that_it_is_no_agent_loosens_nothing(host: RunningHost, sandbox: RunningSandbox) -> None:
    agent = caller(host, "bot", agent=True)
    assert agent.post(RUN, json={"inputs": PAYMENT, "agent": False}).status_code == 202
    assert writes(sandbox) == 0


def test_reads_need_nobody(host: RunningHost) -> None:
    agent = caller(host, "bot", agent=True)
    assert agent.post("/v1/actions/list_bank_accounts/run", json={"inputs": {}, "agent": True}).status_code == 200


def test_what_the_policy_lets_agents_run_is_run(host: RunningHost, sandbox: RunningSandbox) -> None:
    assert host.http.put("/v1/policy", json={"agents": ["create_cash_book_entry"]}).status_code == 200
    agent = caller(host, "bot", agent=True)
    assert agent.post("/v1/actions/create_cash_book_entry/run", json={"inputs": ENTRY}).status_code == 200
    assert agent.post(RUN, json={"inputs": PAYMENT}).status_code == 202
    assert writes(sandbox) == 1


def test_an_agent_approves_nothing_whoever_asked(host: RunningHost, sandbox: RunningSandbox) -> None:
    agent, second = caller(host, "bot", agent=True), caller(host, "second bot", "admin", agent=True)
    run = agent.post(RUN, json={"inputs": PAYMENT}).json()["run"]
    refused = second.post(f"/v1/runs/{run}/approve")
    assert (refused.status_code, refused.json()["kind"]) == (403, "right_missing")
    assert host.http.get(f"/v1/runs/{run}").json()["run"]["state"] == "awaiting_approval"
    assert caller(host, "eva", "approver").post(f"/v1/runs/{run}/approve").status_code == 200


def test_the_list_of_tokens_shows_whose_an_agent_is(host: RunningHost) -> None:
    caller(host, "bot", agent=True)
    caller(host, "ada")
    listed = {one["name"]: one["agent"] for one in host.http.get("/v1/tokens").json()["tokens"]}
    assert listed == {"bot": True, "ada": False}
    entries = host.http.get("/v1/audit").json()["entries"]
    made = {one["subject"]: one["details"].get("agent") for one in entries if one["what"] == "token.created"}
    assert made == {"bot": True, "ada": None}


@pytest.mark.parametrize("face", ["cli", "http", "console", "mcp", "python"])
def test_every_face_holds_an_agent_to_it(face: Face, sandbox: RunningSandbox, tmp_path: Path) -> None:
    connector = Connector(str(tmp_path))
    agent = Invoker(face, actor=Actor("bot", "payer", "default", agent=True))
    person = Invoker(face, actor=Actor("ada", "payer", "default"), confirmed=True)
    with connector.open(Credential(sandbox.url, KEY)) as session:
        with pytest.raises(RightMissing) as caught:  # where no host runs, nobody could send it later
            session.invoke("initiate_payment", PAYMENT, invoker=agent)
        assert (caught.value.outcome, writes(sandbox)) == ("not_sent", 0)
        session.invoke("initiate_payment", PAYMENT, invoker=person)
    connector.close()
    assert writes(sandbox) == 1
