"""Every manifest does in Python what its cases say."""

from __future__ import annotations

from functools import cache

import pytest

from connector.testing.cases.expectation import differences
from connector.testing.cases.files import Case
from tests.cases.in_python import Interpreter
from tests.cases.our_cases import all_cases, files

CASES = {case.key: case for case in all_cases()}


@cache
def interpreter() -> Interpreter:
    return Interpreter()


@pytest.mark.parametrize("key", [key for key, case in CASES.items() if case.runs_in("python")])
def test_case(key: str) -> None:
    assert differences(CASES[key], interpreter().run(CASES[key])) == []


def test_every_manifest_has_cases_and_every_file_of_cases_a_manifest() -> None:
    assert set(files()) == interpreter().ids()


def test_every_case_has_a_name_of_its_own() -> None:
    keys = [case.key for case in all_cases()]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("id", sorted(interpreter().ids()))
def test_a_manifest_has_cases_for_all_that_it_does(id: str) -> None:
    """Inputs everywhere; answers, options, polls and events where there are some."""
    manifest = interpreter().manifest(id)
    wanted = {"action": {"answers"}, "lookup": {"options"}, "trigger": {f"{getattr(manifest, 'source', '')}s"}}
    expected = wanted[manifest.kind] | ({"requests"} if manifest.inputs or manifest.request else set())
    found = {case.section for case in CASES.values() if case.manifest == id}
    assert expected <= found


@pytest.mark.parametrize("id", sorted(interpreter().ids()))
def test_every_reason_to_refuse_that_a_manifest_words_itself_is_met(id: str) -> None:
    """A sentence that no case meets may have blanks that nobody fills."""
    raw = interpreter().manifest(id).raw
    worded = {
        f"{name}.{reason}"
        for rule in raw.get("rules", ())
        for name in rule
        if name not in ("words", "warn")
        for reason in rule.get("words", ())
    }
    assert worded | set(raw.get("messages", ())) <= {message for case in _of(id) for message in _messages(case)}


def _of(id: str) -> list[Case]:
    return [case for case in CASES.values() if case.manifest == id]


def _messages(case: Case) -> set[str]:
    found = [case.body.get("refusal"), *(step.get("refusal") for step in case.body.get("steps", ()))]
    return {refusal["message"] for refusal in found if refusal} | set(case.body.get("warned", ()))
