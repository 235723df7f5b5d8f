"""Whatever a refusal suggests to write is itself accepted, in both languages and by both interpreters."""

from __future__ import annotations

import re
from typing import Any

import pytest

from connector.core.messages import template
from connector.testing.cases.files import Case, read
from tests.cases.in_node import run
from tests.cases.in_python import Interpreter
from tests.cases.our_cases import FURTHER
from tests.platforms.node import or_skip

INTERPRETER = Interpreter()
SUGGESTING = ("meant", "whole", "decimal", "first", "second", "example")
"""The blanks of sentences that hold what to write instead."""
MORE = {
    "amount": ["1.234 ", "-12.505", "999.995", "0e0", "1e30", "123456789012345678901234567890.123", "12,5e1", "x"],
    "fee": ["1.234", "10.001", "-1.234", "1e1", "2e1", "x"],
    "rate": ["1.234", "1e-7", "x"],
    "count": ["1.234", "1e3", "1e20", "9.007.199.254.740.993", "x"],
    "day": ["15. Mai 26", "Dec 24th, 2026", "01/02/26", "29.02.0024", "1e3", "20261231", "46387", "x"],
    "time": ["15. Mai 2026 14:30", "01/02/26 10:00", "15.05.0026 14:30", "x"],
}
"""Notations beside those of the table."""
CURRENCIES = ("EUR", "JPY", "KWD")


def _refused() -> dict[str, Case]:
    """Every refusal of the table and of more notations, and amounts in currencies with other decimals."""
    table = [case.body["inputs"] for case in read(FURTHER / "take_values.yaml") if case.name.endswith(" is refused")]
    table += [{name: written} for name, notations in MORE.items() for written in notations]
    inputs = [*table, *({**one, "currency": code} for one in table if "amount" in one for code in CURRENCIES)]
    return {str(one): Case("take_values", "requests", str(one), {"inputs": one}) for one in inputs}


REFUSED = _refused()


def suggestions(case: Case, refusal: dict[str, Any]) -> dict[str, Case]:
    """What the sentences of a refusal suggest, each as a case of its own."""
    found = {}
    for lang in ("en", "de"):
        pieces = template(refusal["message"]).in_(lang)
        if not any(f"{{{name}}}" in pieces for name in SUGGESTING):
            continue
        for written in _filled(pieces, refusal["text"][lang]):
            [name] = case.body["inputs"].keys() - {"currency"}
            inputs = {**case.body["inputs"], name: written}
            key = f"{case.name} {lang} {written}"
            found[key] = Case("take_values", "requests", key, {"inputs": inputs})
    return found


def _filled(pieces: str, text: str) -> set[str]:
    """What stands in the suggesting blanks of a sentence."""
    pattern, names = "", []
    for part in re.split(r"(\{\w+\})", pieces):
        if part.startswith("{"):
            names.append(part[1:-1])
            pattern += "(.*?)"
        else:
            pattern += re.escape(part)
    match = re.fullmatch(pattern, text, re.DOTALL)
    assert match, (pieces, text)
    return {held for name, held in zip(names, match.groups(), strict=True) if name in SUGGESTING}


def test_every_suggestion_is_accepted_in_python() -> None:
    followed: dict[str, Case] = {}
    for case in REFUSED.values():
        told = INTERPRETER.run(case)
        if "refusal" in told:
            followed |= suggestions(case, told["refusal"])
    assert len(followed) > 200
    wrong = {key: told for key, case in followed.items() if "refusal" in (told := INTERPRETER.run(case))}
    assert wrong == {}


@pytest.fixture(scope="module")
def refused_by_node(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with or_skip():
        return run(REFUSED.values(), INTERPRETER, tmp_path_factory.mktemp("refused"))


def test_both_interpreters_suggest_the_same(refused_by_node: dict[str, Any]) -> None:
    told = {case.key: INTERPRETER.run(case).get("refusal") for case in REFUSED.values()}
    assert {key: one.get("refusal") for key, one in refused_by_node.items()} == told
