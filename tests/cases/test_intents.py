"""What a caller means is the same in-process and over HTTP: every word of an intent is heard there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.callers import WORDS, Intent
from connector.core.errors import KontorError
from connector.interfaces.host.routes.calls import RUN_FIELDS
from tests.cases.intent_cases import CallSequence, Words, hold, ids, outcome_of, sayable, sequences
from tests.interfaces.host.running_host import KEY, RunningHost, running
from tests.support.running_sandbox import RunningSandbox

EVERY = sequences()
IN_PROCESS = [one for one in EVERY if not one.agents_may]
"""Whether agents may do something is the policy of a workspace, which a host keeps."""


def told(sequence: CallSequence, call: Callable[[Words], str]) -> list[str]:
    """What each call was told, one after the other or at one moment."""
    if not sequence.at_once:
        return [call(words) for words in sequence.calls]
    with ThreadPoolExecutor(len(sequence.calls)) as pool:
        return list(pool.map(call, sequence.calls))


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path / "host") as host:
        yield host


def test_both_ways_can_say_every_word() -> None:
    assert sayable(lambda words: set(words) <= set(WORDS)) == EVERY
    assert set(WORDS) <= set(RUN_FIELDS)
    assert {word for one in EVERY for words in one.calls for word in words} == set(WORDS)


@pytest.mark.parametrize("sequence", IN_PROCESS, ids=ids(IN_PROCESS))
def test_in_process(sequence: CallSequence, sandbox: RunningSandbox, tmp_path: Path) -> None:
    connector = Connector(str(tmp_path))

    def call(words: Words) -> str:
        with connector.open(Credential(sandbox.url, KEY)) as session:
            try:
                session.perform(sequence.action, sequence.inputs, Intent(**words))
            except KontorError as error:
                return outcome_of(error.kind, error.outcome)
        return "done"

    try:
        hold(sequence, told(sequence, call), sandbox)
    finally:
        connector.close()


@pytest.mark.parametrize("sequence", EVERY, ids=ids(EVERY))
def test_through_a_host(sequence: CallSequence, sandbox: RunningSandbox, host: RunningHost) -> None:
    if sequence.agents_may:
        assert host.http.put("/v1/policy", json={"agents": [sequence.action]}).status_code == 200

    def call(words: Words) -> str:
        answer = host.run(sequence.action, sequence.inputs, **words)
        document: dict[str, Any] = answer.json()
        if answer.status_code == 202:
            assert document["state"] == "awaiting_approval"
            return "unsent"
        return "done" if answer.status_code == 200 else outcome_of(document["kind"], document["outcome"])

    hold(sequence, told(sequence, call), sandbox)


@pytest.mark.parametrize("word", ["again", "guarded", "agent"])
def test_a_word_that_is_no_truth_value_is_refused(word: str, host: RunningHost) -> None:
    answer = host.run("list_bank_accounts", **{word: "yes"})
    assert (answer.status_code, answer.json()["field"]) == (400, word)
