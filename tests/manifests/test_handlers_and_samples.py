"""What belongs to a manifest: a sample that fits its resource, and a handler that says its sentences and no others."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from declared_manifests import MANIFESTS, PATHS, ROOT, each_action, each_lookup, tree_of

from connector.core.resources import accounting, banking, errors, ledger, mobility, person_account
from connector.core.resources.model import Resource, read, surprises

SHARED_BY_HANDLERS = {"actions/ledger/fiscal_year.py", "actions/ledger/receipt_kinds.py", "lookups/amounts.py"}
OPTION = {"value", "label", "hint"}
RESOURCES = {
    name: model
    for module in (accounting, banking, ledger, mobility, person_account, errors)
    for name, model in vars(module).items()
    if isinstance(model, type) and issubclass(model, Resource)
}


def handler_path(path: Path) -> Path:
    return ROOT / path.relative_to(MANIFESTS).with_suffix(".py")


def problems_in(handler: Path) -> set[str]:
    """The sentences that a handler, or a module it shares with others, can say."""
    if not handler.exists():
        return set()
    text = handler.read_text(encoding="utf-8")
    shared = {ROOT / name for name in SHARED_BY_HANDLERS if f"from {name[:-3].replace('/', '.')} import" in text}
    return {
        ast.literal_eval(node.args[0])
        for source in [text, *(one.read_text(encoding="utf-8") for one in shared)]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"
    }


@each_action
def test_a_sample_is_an_output_and_fits_its_resource(path: Path) -> None:
    tree = tree_of(path)
    output, sample = tree["output"], tree["sample"]
    rows = sample["items"] if output["list"] else [sample]
    assert rows
    if output["resource"] != "FreeForm":
        model = RESOURCES[output["resource"]]
        for row in rows:
            assert list(surprises(read(model, row))) == []
            assert set(row) - set(model.model_fields) <= {"area", "ledgerAntwort"}
    for column in output.get("columns", []):
        assert any(_has(row, column) for row in rows), column


def _has(row: Any, column: str) -> bool:
    for step in column.split("."):
        if not isinstance(row, dict) or step not in row:
            return False
        row = row[step]
    return True


@each_lookup
def test_a_lookup_makes_options_by_declaration_or_by_a_handler(path: Path) -> None:
    tree = tree_of(path)
    assert ("options" in tree) != handler_path(path).exists()
    for option in tree["sample"]:
        assert set(option) == OPTION
        assert all(isinstance(value, str) for value in option.values())
    assert tree["cost"]["dropdown"] == 0


@each_action
def test_every_sentence_of_a_manifest_is_said_by_its_handler_and_the_other_way_round(path: Path) -> None:
    assert problems_in(handler_path(path)) == set(tree_of(path).get("messages", {}))


def test_every_handler_belongs_to_a_manifest() -> None:
    expected = {str(handler_path(path).relative_to(ROOT)) for path in PATHS} | SHARED_BY_HANDLERS
    found = {
        str(path.relative_to(ROOT))
        for folder in ("actions", "lookups")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "__init__.py"
    }
    assert found <= expected
