"""What belongs to a manifest: a sample that fits its resource, and code that says its sentences and no others."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from connector.core.data.row_parts import PART, RowParts, declared_parts
from connector.core.messages import sentences
from connector.export.handlers.python_handlers import GENERATED
from tests.manifests.declared_manifests import MANIFESTS, ROOT, each_action, each_lookup, tree_of
from tests.support.fitting import RESOURCES, misfits

OPTION = {"value", "label", "hint"}
SHARED_BY_CODE = {"triggers/ledger/open_item_state.py"}
ADDED = {"area", "ledgerAntwort"}
"""What the shape of an answer adds to a resource."""


def code_path(path: Path) -> Path:
    return ROOT / path.relative_to(MANIFESTS).with_suffix(".py")


def problems_in(path: Path) -> set[str]:
    """The sentences that a module of code says beside those of Kontor itself."""
    if not path.exists():
        return set()
    return {
        ast.literal_eval(node.args[0])
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"
    } - sentences().keys()


@each_action
def test_a_sample_is_an_output_and_fits_its_resource(path: Path) -> None:
    tree = tree_of(path)
    output, sample = tree["output"], tree["sample"]
    rows = sample["items"] if output["list"] else [sample]
    assert rows
    for row in rows:
        assert misfits(output["resource"], row) == []
        if output["resource"] in RESOURCES:
            assert set(row) - set(RESOURCES[output["resource"]]["fields"]) <= ADDED
    parts = RowParts(declared_parts(RESOURCES, output["resource"]))
    for column in output.get("columns", []):
        found = [parts.cell(column, row) is not None if column.startswith(PART) else _has(row, column) for row in rows]
        assert any(found), column


def _has(row: Any, column: str) -> bool:
    for step in column.split("."):
        if not isinstance(row, dict) or step not in row:
            return False
        row = row[step]
    return True


@pytest.mark.conforms("costs.dropdowns")
@each_lookup
def test_a_lookup_shows_options_and_is_free_as_a_dropdown(path: Path) -> None:
    tree = tree_of(path)
    for option in tree["sample"]:
        assert set(option) == OPTION
        assert all(isinstance(value, str) for value in option.values())
    assert tree["cost"]["dropdown"] == 0


@each_action
def test_every_sentence_of_a_manifest_is_said_by_its_code_and_the_other_way_round(path: Path) -> None:
    assert problems_in(code_path(path)) == set(tree_of(path).get("messages", {}))


def test_code_stands_beside_a_manifest_that_says_so() -> None:
    trees = [tree_of(path) for path in MANIFESTS.glob("*/*/*.yaml") if path.parts[-3] in ("actions", "triggers")]
    expected = {
        f"{tree['kind']}s/{tree['area']}/{tree['id']}.py"
        for tree in trees
        if tree.get("code") or tree.get("poll", {}).get("code")
    }
    found = {
        str(path.relative_to(ROOT))
        for folder in ("actions", "triggers")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "__init__.py" and not path.read_text(encoding="utf-8").startswith(GENERATED)
    }
    assert found - SHARED_BY_CODE == expected
