"""In a whole n8n server, directly and through a host: two clicks write once, and an agent needs a person's leave."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from tests.cases.intent_cases import ACTIONS, INPUTS
from tests.platforms.n8n.engine.n8n_engine import chosen, parameters_of
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.platforms.n8n_server.conftest import KEY, Way
from tests.platforms.n8n_server.n8n_rest import Editor
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.n8n_server]

CONNECTOR = Connector("unused")
PAY = "initiate_payment"


def form(action: str) -> dict[str, Any]:
    manifest = CONNECTOR.action(action)
    return {**chosen(manifest), **parameters_of(manifest, INPUTS[action])}


def writes(sandbox: RunningSandbox, action: str) -> int:
    return [(one["method"], one["path"]) for one in sandbox.requests()].count(("POST", ACTIONS[action]))


@pytest.mark.parametrize("action", ACTIONS)
def test_two_manual_executions_at_once_write_once(way: Way, action: str, sandbox: RunningSandbox) -> None:
    done = way.editor.run_at_once(way.kept, form(action), 2)
    assert sorted(one.status for one in done) == ["error", "success"]
    assert {one.mode for one in done} == {"manual"}
    assert writes(sandbox, action) == 1


@pytest.mark.parametrize("action", ACTIONS)
def test_a_second_manual_execution_is_held_back(way: Way, action: str, sandbox: RunningSandbox) -> None:
    first, second = (way.editor.run_at_once(way.kept, form(action), 1)[0] for _ in range(2))
    assert (first.status, second.status) == ("success", "error")
    assert writes(sandbox, action) == 1


def model(method: str, path: str, body: Any) -> tuple[int, Any]:
    """A language model that calls the one tool it is offered, and then has nothing more to say."""
    if not path.endswith("/chat/completions"):
        return 200, {"data": []}
    answered = any(one["role"] == "tool" for one in body["messages"])
    said: dict[str, Any] = {"role": "assistant", "content": "done"}
    if not answered:
        call = {"name": body["tools"][0]["function"]["name"], "arguments": "{}"}
        said = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": call}]}
    choice = {"index": 0, "message": said, "finish_reason": "stop" if answered else "tool_calls"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return 200, {"id": "1", "object": "chat.completion", "model": "a-model", "choices": [choice], "usage": usage}


def test_an_agent_pays_nothing_without_leave(way: Way, sandbox: RunningSandbox) -> None:
    with stub_service(model) as answering:
        way.editor.run_agent(way.kept, form(PAY), answering.url)
        told = [
            body for _, _, body in answering.asked if body and any(one["role"] == "tool" for one in body["messages"])
        ]
    assert told, "the agent has not called the tool"
    assert writes(sandbox, PAY) == 0


def test_an_agent_pays_where_the_credential_allows_it(editor: Editor, sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=1_000_000)
    with stub_service(model) as answering:
        editor.run_agent(editor.new_credential(sandbox.url, KEY, agentsMayPay=True), form(PAY), answering.url)
    assert writes(sandbox, PAY) == 1
