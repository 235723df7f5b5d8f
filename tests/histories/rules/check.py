"""Decides whether a recorded history kept the promises: `python -m tests.histories.rules.check FILE…`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.histories.rules import rules_ending, rules_executed, rules_reported
from tests.histories.rules.reading import History, read
from tests.histories.rules.violation import Violation

RULES: tuple[Callable[[History], Iterator[Violation]], ...] = (
    rules_executed.keys_executed_twice,
    rules_executed.presses_executed_twice,
    rules_executed.executed_for_nobody,
    rules_executed.executed_without_leave,
    rules_executed.payments_without_their_key,
    rules_executed.unknown_writes_repeated,
    rules_reported.results_that_are_not_so,
    rules_reported.refusals_after_an_execution,
    rules_reported.conflicts_without_other_inputs,
    rules_reported.replays_that_differ,
    rules_reported.unclear_answers,
    rules_ending.keys_without_an_ending,
    rules_ending.payments_not_found,
    rules_ending.presses_that_vanish,
    rules_ending.lists_that_differ,
)


def check(lines: Iterable[Mapping[str, Any]]) -> list[Violation]:
    """Return every broken promise in the records of a history."""
    history = read(lines)
    if not history.complete:  # what was executed is recorded at the end
        return [Violation("incomplete", "the history was not recorded to its end")]
    return [violation for rule in RULES for violation in rule(history)]


def read_file(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main(arguments: list[str]) -> int:
    """Check each file and print what was found; the exit status is 1 if that is anything."""
    status = 0
    for name in arguments:
        violations = check(read_file(Path(name)))
        print(f"{name}: {len(violations)} violations" if violations else f"{name}: kept every promise")
        for violation in violations:
            print(f"  {violation}")
        status |= bool(violations)
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m tests.histories.rules.check FILE…")
    sys.exit(main(sys.argv[1:]))
