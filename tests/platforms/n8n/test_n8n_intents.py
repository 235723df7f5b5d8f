"""What n8n knows of a call reaches whoever decides about the write, directly and through a host."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from connector.core.callers import WORDS
from tests.cases.intent_cases import CallSequence, Words, hold, ids, outcome_of, sayable
from tests.interfaces.host.running_host import KEY, TOKEN, RunningHost
from tests.platforms.n8n.engine.n8n_engine import Engine, chosen, parameters_of
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
SAYABLE = sayable(lambda words: ("key" in words) != words.get("agent", False))
"""A step has the key of its execution, unless an agent calls it as a tool."""


def order(sequence: CallSequence, words: Words) -> dict[str, Any]:
    """How a call that means this looks to n8n."""
    action = CONNECTOR.action(sequence.action)
    parameters = {**chosen(action), **parameters_of(action, sequence.inputs), "again": words.get("again", False)}
    return {
        "do": "run",
        "node": "kontorTool" if words.get("agent") else "kontor",
        "parameters": parameters,
        "mode": "manual" if words.get("guarded") else "trigger",
        "continueOnFail": True,
        **({"execution": words["key"]} if "key" in words else {}),
    }


def told(engine: Engine, credential: dict[str, Any], sequence: CallSequence) -> list[str]:
    orders = [{**order(sequence, words), "credential": credential} for words in sequence.calls]
    if sequence.at_once:
        answers = engine.ask("at_once", "kontor", credential, orders=orders)["answers"]
    else:
        answers = [engine.ask(**one) for one in orders]
    return [_outcome(answer["items"][0]["json"]) for answer in answers]


def _outcome(item: dict[str, Any]) -> str:
    if item.get("state") == "awaiting_approval":
        return "unsent"
    return outcome_of(item["kind"], item["outcome"]) if "error" in item else "done"


def account(sequence: CallSequence) -> str:
    """A credential of its own, since the package remembers writes of one for the life of n8n's process."""
    return sequence.name


@pytest.mark.parametrize("sequence", SAYABLE, ids=ids(SAYABLE))
def test_directly(sequence: CallSequence, engine: Engine, sandbox: RunningSandbox) -> None:
    credential = {
        "baseUrl": sandbox.url,
        "apiKey": KEY,
        "agentsMayPay": sequence.agents_may,
        "account": account(sequence),
    }
    hold(sequence, told(engine, credential, sequence), sandbox)


@pytest.mark.parametrize("sequence", SAYABLE, ids=ids(SAYABLE))
def test_through_a_host(
    sequence: CallSequence, host_engine: Engine, host: RunningHost, sandbox: RunningSandbox
) -> None:
    if sequence.agents_may:
        assert host.http.put("/v1/policy", json={"agents": [sequence.action]}).status_code == 200
    credential = {"baseUrl": host.url, "hostToken": TOKEN, "apiKey": KEY}
    hold(sequence, told(host_engine, credential, sequence), sandbox)


@pytest.mark.parametrize("sequence", SAYABLE, ids=ids(SAYABLE))
def test_a_host_hears_every_word(sequence: CallSequence, host_engine: Engine) -> None:
    heard: list[dict[str, Any]] = []

    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        heard.append({word: body[word] for word in WORDS if word in body})
        return 200, {"ok": True, "output": {}}

    with stub_service(answer) as stub:
        told(host_engine, {"baseUrl": stub.url, "hostToken": TOKEN, "apiKey": KEY}, sequence)
    said = [{word: _keyed(meant[word]) if word == "key" else True for word in meant} for meant in sequence.calls]
    if sequence.at_once:  # which of two is heard first nobody says
        heard.sort(key=lambda words: words["key"])
    assert heard == said


def _keyed(execution: str) -> str:
    return f"n8n:1:{execution}:b8a3e7c4-0000-4000-8000-000000000001:0:0"


def test_an_agent_books_once_where_no_host_decides_about_it(engine: Engine, sandbox: RunningSandbox) -> None:
    [booking, *_] = [one for one in SAYABLE if one.action == "create_cash_book_entry"]
    credential = {"baseUrl": sandbox.url, "apiKey": KEY, "account": "an agent that books"}
    twice = [engine.ask(**order(booking, {"agent": True}), credential=credential)["items"][0]["json"] for _ in range(2)]
    assert [_outcome(item) for item in twice] == ["done", "likely_repeat"]
