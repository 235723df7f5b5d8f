"""What stands beside the manifests is checked like them: a misspelt type or key is told with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from connector.core.manifest.check import examine
from connector.core.manifest.load import library, load
from tests.manifests.declared_manifests import MANIFESTS

WRONG = {
    "resources/a.yaml": [
        ("Order:\n  about: An order.\n  fields:\n    id: txt\n", 4, "Order.fields.id", "text"),
        ("Order:\n  about: An order.\n  fields:\n    id: text\n    lines: [OrderLine]\n", 5, "Order.fields.lines", ""),
        ("Order:\n  about: An order.\n  field:\n    id: text\n", 2, "Order", "fields"),
        ("Order:\n  about: An order.\n  fields:\n    id: {type: text, knwon: [a]}\n", 4, "Order.fields.id", ""),
    ],
    "labels.yaml": [("total: {en: Total}\n", 1, "total", "de")],
    "formats.yaml": [("code: {tidy: [lower]}\n", 1, "code.tidy[0]", "upper")],
    "states.yaml": [("order:\n  order: [a, b]\n", 2, "order", "final")],
    "events.yaml": [("sold: {about: order, id: id}\n", 1, "sold", "data")],
}


@pytest.mark.parametrize(
    ("file", "text", "line", "where", "said"), [(file, *case) for file, cases in WRONG.items() for case in cases]
)
def test_a_mistake_is_told_with_its_place(
    file: str, text: str, line: int, where: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    _, [problem, *_] = examine(str(tmp_path), {**load(), **library()})
    assert (problem.file, problem.line, problem.where) == (str(path), line, where)
    assert said in problem.message.en


def test_our_own_have_none() -> None:
    assert examine(str(MANIFESTS), None)[1] == []
