"""`kontor actions | triggers | lookups`: what there is, with cost. Reads the compiled manifests and nothing else."""

from __future__ import annotations

import json

from connector.core.manifest.files import AREAS
from connector.core.manifest.load import load
from connector.interfaces.cli.language import tell
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.wording import cost_words, title_words

TYPE_CHECKING = False  # not from typing, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

SHOWN = (
    *("id", "area", "title", "description", "effect", "repeat", "source", "events"),
    *("cost", "duration", "interval", "ttl", "deprecated"),
)
"""What of a manifest a list shows; `kontor describe` shows all of it."""


def show(kind: str, *, as_json: bool) -> int:
    """Prints all manifests of one kind."""
    trees = sorted(load()[kind].values(), key=lambda tree: (AREAS.index(tree["area"]), tree["id"]))
    if as_json:
        print(json.dumps({"ok": True, kind: [_summary(tree) for tree in trees]}, ensure_ascii=False))
    else:
        print("\n".join(_lines(trees)))
    return 0


def _summary(tree: Tree) -> Tree:
    required = [field["name"] for field in tree["inputs"] if _is_required(field)]
    return {**{name: tree[name] for name in SHOWN if name in tree}, "required": required}


def _lines(trees: list[Tree]) -> list[str]:
    """A heading for each area, below it one line for each manifest; the columns are the same on the whole page."""
    if not trees:
        return [tell("none_there")]
    rows = [_row(tree) for tree in trees]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for place, (tree, row) in enumerate(zip(trees, rows, strict=True)):
        if place == 0 or tree["area"] != trees[place - 1]["area"]:
            lines.append(paint(tell(f"area_{tree['area']}"), "bold"))
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    if any(tree["cost"].get("assumed") for tree in trees):
        lines += ["", tell("cost_assumed")]
    return [*lines, "", tell("describe_shows_one")]


def _row(tree: Tree) -> list[str]:
    match tree["kind"]:
        case "lookup":
            needs = ", ".join(field["name"] for field in tree["inputs"] if _is_required(field))
            note = tell("lookup_needs", inputs=needs) if needs else ""
            return [tree["id"], cost_words(tree["cost"], dropdown=True), title_words(tree), note]
        case "trigger":
            return [tree["id"], tell(f"source_{tree['source']}"), cost_words(tree["cost"]), title_words(tree)]
        case _:
            return [tree["id"], tell(f"effect_{tree['effect']}"), cost_words(tree["cost"]), title_words(tree)]


def _is_required(field: Tree) -> bool:
    return field.get("presence") == "required" and field.get("default") is None
