"""What Node-RED and Activepieces know of a call reaches whoever decides about the write, directly and by a host."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from connector.core.callers import WORDS
from tests.cases.intent_cases import CallSequence, Words, hold, ids, outcome_of, sayable
from tests.interfaces.host.running_host import KEY, TOKEN, RunningHost
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.platforms.node_packages.conftest import Engines
from tests.platforms.node_packages.engines.stand import Means, Refusal, Stand
from tests.support.parts import part
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
SAYABLE = {
    "node-red": sayable(lambda words: "key" in words and "agent" not in words),
    "activepieces": sayable(lambda words: "key" in words or words.get("agent", False)),
}
"""Every message and every step has a key; on Activepieces an agent's call has none unless its user gives one."""
CASES = [(kind, one) for kind, sequences in SAYABLE.items() for one in sequences]


def each_of(cases: list[tuple[str, CallSequence]]) -> pytest.MarkDecorator:
    names = [f"{kind}: {name}" for (kind, _), name in zip(cases, ids([one for _, one in cases]), strict=True)]
    return pytest.mark.parametrize(("kind", "sequence"), cases, ids=names)


def means_of(kind: str, words: Words) -> Means:
    """How a call that means this looks to the platform; a key that holds over runs is one of the user's own."""
    key, again = words.get("key", ""), words.get("again", False)
    if words.get("agent"):
        return Means(own=key, again=again, agent=True)
    if not words.get("guarded"):
        return Means(own=key, again=again)
    return Means(run=key, again=again, tried=kind == "activepieces")


def told(stand: Stand, sequence: CallSequence) -> list[str]:
    action = CONNECTOR.action(sequence.action)
    means = [means_of(stand.name, words) for words in sequence.calls]
    if sequence.at_once:
        return [_outcome(one) for one in stand.at_once(action, sequence.inputs, means)]
    return [_outcome(_result(stand, sequence, one)) for one in means]


def _result(stand: Stand, sequence: CallSequence, means: Means) -> Any:
    try:
        return stand.run(CONNECTOR.action(sequence.action), sequence.inputs, means)
    except Refusal as refused:
        return refused


def _outcome(result: Any) -> str:
    if isinstance(result, Refusal):
        return outcome_of(result.kind, result.outcome)
    return "unsent" if result.get("state") == "awaiting_approval" else "done"


@each_of(CASES)
def test_directly(kind: str, sequence: CallSequence, engines: Engines, sandbox: RunningSandbox) -> None:
    may = {"agents": "may pay"} if sequence.agents_may else {}
    stand = engines(kind, "service").stand({"baseUrl": sandbox.url, "apiKey": KEY, **may})
    hold(sequence, told(stand, sequence), sandbox)


@each_of(part(CASES))
def test_through_a_host(
    kind: str, sequence: CallSequence, engines: Engines, host: RunningHost, sandbox: RunningSandbox
) -> None:
    if sequence.agents_may:
        assert host.http.put("/v1/policy", json={"agents": [sequence.action]}).status_code == 200
    stand = engines(kind, "host").stand({"baseUrl": host.url, "apiKey": KEY, "hostToken": TOKEN})
    hold(sequence, told(stand, sequence), sandbox)


@each_of(part(CASES))
def test_a_host_hears_every_word(kind: str, sequence: CallSequence, engines: Engines) -> None:
    heard: list[dict[str, Any]] = []

    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        heard.append({word: body[word] for word in WORDS if word in body})
        return 200, {"ok": True, "output": {}}

    with stub_service(answer) as stub:
        stand = engines(kind, "host").stand({"baseUrl": stub.url, "apiKey": KEY, "hostToken": TOKEN})
        told(stand, sequence)
    keys = {one.pop("key") for one in heard if "key" in one}
    assert len(keys) == len({words["key"] for words in sequence.calls if "key" in words})
    assert all(key.startswith(f"{kind}:") for key in keys)
    said = [{word: True for word in words if word != "key"} for words in sequence.calls]
    assert sorted(heard, key=str) == sorted(said, key=str)
