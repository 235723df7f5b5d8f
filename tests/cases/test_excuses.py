"""An excuse counts survivors by function and kind of change, whatever the source reads like and wherever it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.mutations import excuses
from tests.cases.mutations.excuses import Excuses

LIST = """
python:
  - {function: whole, why: Only adapters call it.}
  - {function: Class.method, forced_true: 2, why: Only quicker.}
  - {function: Class.method, forced_true: 1, other_name: 1, why: Nobody is told.}
"""


def survivor(function: str, forced: Any, **more: Any) -> dict[str, Any]:
    kind = "condition" if isinstance(forced, bool) else "name"
    return {"function": function, "kind": kind, "forced": forced, "file": "any.py", "line": 1, "text": "any", **more}


@pytest.fixture
def excused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Excuses:
    (tmp_path / "list.yaml").write_text(LIST)
    monkeypatch.setattr(excuses, "LIST", tmp_path / "list.yaml")
    return Excuses("python")


EXACTLY = [
    survivor("whole", True),
    *(
        survivor("Class.method", True, text=text, file=file)
        for text, file in (("a", "x.py"), ("b", "y.py"), ("c", "z"))
    ),
    survivor("Class.method", "other"),
]


def test_as_many_as_excused_pass_wherever_they_stand(excused: Excuses) -> None:
    assert excused.beyond(EXACTLY) == []
    assert excused.without_use(EXACTLY) == []


@pytest.mark.parametrize("one_more", [survivor("Class.method", True), survivor("Class.method", False)])
def test_one_more_is_shown_with_all_of_its_kind(excused: Excuses, one_more: dict[str, Any]) -> None:
    found = excused.beyond([*EXACTLY, one_more])
    assert one_more in found
    assert {one["forced"] for one in found} == {one_more["forced"]}


def test_a_function_that_is_not_listed_is_not_excused(excused: Excuses) -> None:
    assert len(excused.beyond([survivor("method", True), survivor("Other.method", True)])) == 2


@pytest.mark.parametrize("missing", range(len(EXACTLY)))
def test_one_less_is_an_excuse_without_use(excused: Excuses, missing: int) -> None:
    assert excused.without_use([one for place, one in enumerate(EXACTLY) if place != missing])
