"""`kontor describe ID`: one manifest, whole."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from connector.core.errors import InputError
from connector.core.manifest.files import KINDS
from connector.core.manifest.load import load
from connector.core.messages import say
from connector.interfaces.cli.language import said, tell
from connector.interfaces.cli.output import pretty_json, print_json, print_table, table, terminal_width
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.wording import cost_words, title_words

Tree = Mapping[str, Any]
WIDTH = 110
LEAST_TEXT = 40


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor describe` understands."""
    parser.add_argument("id", metavar="ID", help=tell("help_describe_id"))
    parser.add_argument("--kind", choices=["action", "trigger", "lookup"], help=tell("help_describe_kind"))


def run(options: argparse.Namespace) -> int:
    """Prints the manifest."""
    tree = _find(options.id, options.kind)
    if options.json:
        print_json({"ok": True, "manifest": tree})
    else:
        _print(tree)
    return 0


def _find(id: str, kind: str | None) -> Tree:
    trees = load()
    wanted = [f"{kind}s"] if kind else KINDS
    found = [trees[one][id] for one in wanted if id in trees[one]]
    if len(found) > 1:
        kinds = ", ".join(tree["kind"] for tree in found)
        raise InputError(say("id_ambiguous", id=id, kinds=kinds), remedy=say("id_ambiguous_remedy"), field="--kind")
    if not found:
        from difflib import get_close_matches

        close = get_close_matches(id, [known for one in wanted for known in trees[one]], n=1, cutoff=0.5)
        remedy = say("did_you_mean", close=close[0]) if close else say("id_unknown_remedy")
        raise InputError(say("id_unknown", id=id), remedy=remedy, field="id")
    return found[0]


def _print(tree: Tree) -> None:
    width = min(terminal_width() or WIDTH, WIDTH)
    kind = tell(f"kind_{tree['kind']}")
    print(f"{paint(title_words(tree), 'bold')}  ({tree['id']}, {kind})")
    print("\n".join(wrap(said(tree["description"]), width)) + "\n")
    print_table(_facts(tree), indent="")
    if tree["inputs"]:
        _heading("inputs_title")
        _print_inputs(tree, width)
    if tree.get("errors"):
        _heading("errors_title")
        _print_wrapped([([error["kind"]], said(error["when"])) for error in tree["errors"]], width)
    _heading("sample_title")
    print(pretty_json(tree["sample"]))
    if tree["kind"] in _COMMANDS:
        _heading("example_title")
        print("  " + _example(tree))


def _heading(name: str) -> None:
    print("\n" + paint(tell(name), "bold"))


def _facts(tree: Tree) -> Iterator[list[str]]:
    note = tree["cost"].get("note")
    words = cost_words(tree["cost"], dropdown=tree["kind"] == "lookup")
    yield [tell("fact_cost"), f"{words}  ({said(note)})" if note else words]
    if "effect" in tree:
        yield [tell("fact_effect"), tell(f"effect_{tree['effect']}")]
        yield [tell("fact_repeat"), tell(f"repeat_{tree['repeat']}")]
    if "duration" in tree:
        yield [tell("fact_duration"), tell("duration_words", **tree["duration"])]
    if "source" in tree:
        yield [tell("fact_source"), tell(f"source_{tree['source']}")]
    if "interval" in tree:
        yield [tell("fact_interval"), tell("interval_words", **tree["interval"])]


def _print_inputs(tree: Tree, width: int) -> None:
    rows = []
    for path, field in _fields(tree["inputs"]):
        presence = "optional" if field.get("default") is not None else field.get("presence", "optional")
        text = " ".join([said(field["help"]), *_options(field)])
        rows.append(([path, field.get("format") or field["type"], tell(f"presence_{presence}")], text))
    _print_wrapped(rows, width)


def _print_wrapped(rows: list[tuple[list[str], str]], width: int) -> None:
    """A table whose last column is prose, broken into lines."""
    begins = table([cells for cells, _ in rows])
    indent = max(map(len, begins)) + 2
    for begin, (_, text) in zip(begins, rows, strict=True):
        first, *others = wrap(text, max(LEAST_TEXT, width - indent), break_on_hyphens=False)
        print(begin.ljust(indent) + first)
        for line in others:
            print(" " * indent + line)


def _fields(fields: list[Tree], above: str = "") -> Iterator[tuple[str, Tree]]:
    """All fields, named as `--set` takes them. Fields that the engine fills by itself are nobody's business."""
    for field in fields:
        if field.get("internal"):
            continue
        path = above + field["name"]
        yield path, field
        yield from _fields(field.get("fields", []), f"{path}[0]." if field["type"] == "list" else f"{path}.")


def _options(field: Tree) -> Iterator[str]:
    """Where the options of a field come from."""
    if "values" in field:
        yield tell("options_values", values=" | ".join(choice["value"] for choice in field["values"]))
    if "lookup" in field:
        needs = [str(given)[1:] for given in field["lookup"].get("with", {}).values() if str(given).startswith("$")]
        command = f"kontor options {field['lookup']['id']}"
        yield (
            tell("options_lookup_with", command=command, needs=", ".join(needs))
            if needs
            else tell("options_lookup", command=command)
        )
    if field.get("default") is not None:
        yield tell("options_default", default=field["default"])


def _lookup_words(use: Tree) -> str:
    given = {name: str(value) for name, value in use.get("with", {}).items()}
    fixed = [f"--set {name}={value}" for name, value in given.items() if not value.startswith("$")]
    command = " ".join(["kontor options", use["id"], *fixed])
    needs = ", ".join(value[1:] for value in given.values() if value.startswith("$"))
    return (
        tell("options_lookup_with", command=command, needs=needs) if needs else tell("options_lookup", command=command)
    )


_COMMANDS = {"action": "run", "lookup": "options"}


def _example(tree: Tree) -> str:
    """A command that could be typed as it stands: the required inputs with their examples."""
    words = ["kontor", _COMMANDS[tree["kind"]], tree["id"]]
    for field in tree["inputs"]:
        if field.get("presence") == "required" and field.get("default") is None:
            example = field.get("example", "…")
            shown = json.dumps(example, ensure_ascii=False) if isinstance(example, dict | list) else str(example)
            words += ["--set", f"{field['name']}={shown}"]
    return " ".join(map(shlex.quote, words))
