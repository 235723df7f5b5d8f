"""Rules about the end: nothing vanishes, and when all is well again, every key's answer agrees with the service."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.histories.excuses import may_be_forgotten, was_forgotten
from tests.histories.rules.reading import ASSUMED, PAYMENT, History, Operation
from tests.histories.rules.violation import Violation


def keys_without_an_ending(history: History) -> Iterator[Violation]:
    """Asked once more when all is well, every key answers; and if that is unknown, it is in the list of parked runs."""
    for key, attempts in history.by_key().items():
        final = [attempt for attempt in attempts if attempt.final]
        if not final:
            yield Violation("vanished", f"key {key} was not asked at the end")
            continue
        if final[-1].told == "nothing":
            yield Violation("vanished", f"{final[-1].name} at the end got no answer")
        elif final[-1].told == "unknown" and not any(run.get("key") == key for run in history.parked()):
            yield Violation("vanished", f"key {key} is unknown and not in the list of parked runs")


def payments_not_found(history: History) -> Iterator[Violation]:
    """When all is well, the payments list shows what was paid: a key that was paid answers with the payment."""
    for key, attempts in history.by_key().items():
        for execution in history.executed_under(key):
            for final in (attempt for attempt in attempts if attempt.final and attempt.mark == execution.mark):
                not_told = final.told in ("unknown", ASSUMED)
                if execution.action == PAYMENT and not_told and execution.executed < final.at:
                    yield Violation(
                        "not_found", f"{final.name} was told {final.told}, though {execution.name} is listed"
                    )


def presses_that_vanish(history: History) -> Iterator[Violation]:
    """A write without a key whose caller does not know its outcome is in a list: parked, or among the runs done."""
    ends = max((operation.at for operation in history.operations), default=0.0)
    for mark, presses in history.keyless_by_mark().items():
        executed = history.executions_of(presses)
        for press in presses:
            if may_be_forgotten(history, press, ends):
                continue
            if press.told == "unknown" and not _listed(history.parked() if not executed else history.runs, press):
                yield Violation("vanished", f"{press.name} was told unknown, and is not in the list of parked runs")
        heard = [press for press in presses if press.told in ("ok", "unknown", ASSUMED)]
        if executed and not heard and not _listed(history.runs, presses[0]):
            forgotten = was_forgotten(history, executed[0].arrived, ends)
            if not forgotten:
                yield Violation("vanished", f"{mark} was executed, nobody heard of it, and no run tells of it")


def lists_that_differ(history: History) -> Iterator[Violation]:
    """A host and the command line list the same unknown runs."""
    by_command = {str(run.get("id")) for run in history.runs if run.get("state") == "unknown"}
    for missing in sorted(by_command - set(history.unknown_runs)):
        yield Violation("vanished", f"run {missing} is unknown on the command line, and not in the list of the host")


def _listed(runs: list[Mapping[str, Any]], press: Operation) -> bool:
    assert press.key is None
    details = press.answer.error.get("details") if press.answer is not None else None
    run_id = details.get("run") if isinstance(details, Mapping) else None
    return any((run_id and run.get("id") == run_id) or press.mark in json.dumps(run, default=str) for run in runs)
