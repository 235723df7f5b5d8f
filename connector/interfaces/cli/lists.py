"""`kontor actions | triggers | lookups`: lists manifests with their cost, from the compiled manifests only."""

from __future__ import annotations

import json

from connector.core.manifest.files import AREAS
from connector.core.manifest.load import load, matches
from connector.interfaces.cli.language import colored, cost_text, localized, price_text, title_text

TYPE_CHECKING = False  # importing typing would slow down the start
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

SUMMARY_KEYS = (
    *("id", "area", "title", "description", "effect", "repeat", "source", "events"),
    *("cost", "duration", "interval", "ttl", "aliases", "deprecated"),
)
"""Keys of a manifest in the JSON list; `kontor describe` shows all."""


def show(kind: str, *, as_json: bool, search: str = "") -> int:
    """Print the manifests of one kind: all, or those that the words of `search` describe."""
    matching = [tree for tree in load()[kind].values() if matches(tree, search)]
    trees = sorted(matching, key=lambda tree: (AREAS.index(tree["area"]), tree["id"]))
    if as_json:
        print(json.dumps({"ok": True, kind: [_summary(tree) for tree in trees]}, ensure_ascii=False))
    else:
        print("\n".join(_lines(trees)))
    return 0


def _summary(tree: Tree) -> Tree:
    required = [field["name"] for field in tree["inputs"] if _is_required(field)]
    return {**{name: tree[name] for name in SUMMARY_KEYS if name in tree}, "required": required}


def _lines(trees: list[Tree]) -> list[str]:
    """Return one line per manifest, grouped by area, with aligned columns."""
    if not trees:
        return [localized("none_there")]
    rows = [_row(tree) for tree in trees]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for index, (tree, row) in enumerate(zip(trees, rows, strict=True)):
        if index == 0 or tree["area"] != trees[index - 1]["area"]:
            lines.append(colored(localized(f"area_{tree['area']}"), "bold"))
        cells = [format_value.ljust(width) for format_value, width in zip(row, widths, strict=True)]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    if any(tree["cost"].get("assumed") for tree in trees):
        lines += ["", localized("cost_assumed")]
    return [*lines, "", localized("describe_shows_one")]


def _row(tree: Tree) -> list[str]:
    match tree["kind"]:
        case "lookup":
            needs = ", ".join(field["name"] for field in tree["inputs"] if _is_required(field))
            note = localized("lookup_needs", inputs=needs) if needs else ""
            return [tree["id"], cost_text(tree["cost"], dropdown=True), title_text(tree), note]
        case "trigger":
            source = localized(f"source_{tree['source']}")
            return [tree["id"], source, cost_text(tree["cost"]), price_text(tree), title_text(tree)]
        case _:
            return [tree["id"], localized(f"effect_{tree['effect']}"), cost_text(tree["cost"]), title_text(tree)]


def _is_required(field: Tree) -> bool:
    return field.get("presence") == "required" and field.get("default") is None
