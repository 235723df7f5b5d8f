"""The console's form, `--set` and Zapier's form hand on what is written, and the one converter reads it."""

from __future__ import annotations

from typing import Any

import pytest

from connector.interfaces.cli.inputs_from_args import inputs_from
from connector.interfaces.console.forms.form_model import inputs_of
from connector.testing.cases.expectation import differences
from connector.testing.cases.files import Case, read
from tests.cases.in_node import RUNNER, run
from tests.cases.in_python import Interpreter
from tests.cases.our_cases import FURTHER
from tests.platforms.node import or_skip
from tests.support.made_once import made_once

INTERPRETER = Interpreter()
MANIFEST = INTERPRETER.manifest("take_values")
TABLE = [case for case in read(FURTHER / "take_values.yaml") if case.name.endswith((" is read", " is refused"))]
TYPED = {case.key: case for case in TABLE if all(isinstance(value, str) for value in case.body["inputs"].values())}
"""What a person can type into a form."""


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(TABLE) >= 120
    assert len(TYPED) >= 120


def _given(case: Case, inputs: dict[str, Any]) -> list[str]:
    return differences(
        case, INTERPRETER.run(Case(case.manifest, case.section, case.name, {**case.body, "inputs": inputs}))
    )


INTO_ONE_FIELD = {key: case for key, case in TYPED.items() if not {"rows", "address"} & set(case.body["inputs"])}
"""The console has widgets for lines and groups."""


@pytest.mark.parametrize("key", INTO_ONE_FIELD)
def test_the_form_of_the_console(key: str) -> None:
    assert _given(TYPED[key], inputs_of(MANIFEST.inputs, TYPED[key].body["inputs"])) == []


@pytest.mark.parametrize("key", TYPED)
def test_set_on_the_command_line(key: str) -> None:
    [(name, written)] = TYPED[key].body["inputs"].items()
    assert _given(TYPED[key], inputs_from(MANIFEST.inputs, None, [f"{name}={written}"])) == []


FLAT = {key: case for key, case in TYPED.items() if "address" not in case.body["inputs"]}
"""Zapier's forms have no field for an object, only for what is in it."""


@pytest.fixture(scope="module")
def told_by_zapier(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with or_skip():
        forms = RUNNER.with_name("zapier_forms.mjs")
        return made_once(tmp_path_factory, "zapier", lambda folder: run(FLAT.values(), INTERPRETER, folder, forms))


@pytest.mark.parametrize("key", FLAT)
def test_the_form_of_zapier(key: str, told_by_zapier: dict[str, Any]) -> None:
    assert differences(FLAT[key], told_by_zapier[key]) == []
