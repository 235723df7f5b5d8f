"""`kontor describe ID`: prints a complete manifest."""

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
from connector.interfaces.cli.language import colored, cost_text, in_user_language, localized, price_text, title_text
from connector.interfaces.cli.output import pretty_json, print_json, print_table, table, terminal_width

Tree = Mapping[str, Any]
MAX_WIDTH = 110
MIN_TEXT_WIDTH = 40
EXAMPLE_KEY = "run 17, step 3"
"""What a platform passes as the key of a write: its run and step."""


def describe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor describe`."""
    parser.add_argument("id", metavar="ID", help=localized("help_describe_id"))
    parser.add_argument("--kind", choices=["action", "trigger", "lookup"], help=localized("help_describe_kind"))


def describe_command(options: argparse.Namespace) -> int:
    """Print the manifest."""
    tree = _find(options.id, options.kind)
    if options.json:
        print_json({"ok": True, "manifest": tree})
    else:
        _print(tree)
    return 0


def _find(id: str, kind: str | None) -> Tree:
    trees = load()
    wanted = [f"{kind}s"] if kind else KINDS
    described = [trees[kind][id] for kind in wanted if id in trees[kind]]
    if len(described) > 1:
        kinds = ", ".join(tree["kind"] for tree in described)
        raise InputError(say("id_ambiguous", id=id, kinds=kinds), remedy=say("id_ambiguous_remedy"), field="--kind")
    if not described:
        from difflib import get_close_matches

        close = get_close_matches(id, [known for kind in wanted for known in trees[kind]], n=1, cutoff=0.5)
        remedy = say("did_you_mean", close=close[0]) if close else say("id_unknown_remedy")
        raise InputError(say("id_unknown", id=id), remedy=remedy, field="id")
    return described[0]


def _print(tree: Tree) -> None:
    width = min(terminal_width() or MAX_WIDTH, MAX_WIDTH)
    kind = localized(f"kind_{tree['kind']}")
    print(f"{colored(title_text(tree), 'bold')}  ({tree['id']}, {kind})")
    print("\n".join(wrap(in_user_language(tree["description"]), width)) + "\n")
    print_table(properties(tree), indent="")
    if tree["inputs"]:
        _heading("inputs_title")
        _print_inputs(tree, width)
    if tree.get("errors"):
        _heading("errors_title")
        _print_wrapped([([error["kind"]], in_user_language(error["when"])) for error in tree["errors"]], width)
    _heading("sample_title")
    print(pretty_json(tree["sample"]))
    if command := example(tree):
        _heading("example_title")
        print("  " + command)


def _heading(name: str) -> None:
    print("\n" + colored(localized(name), "bold"))


def properties(tree: Tree) -> Iterator[list[str]]:
    """Yield what a manifest says about itself beside its inputs: cost, effect, duration and so on."""
    note = tree["cost"].get("note")
    words = cost_text(tree["cost"], dropdown=tree["kind"] == "lookup")
    yield [localized("fact_cost"), f"{words}  ({in_user_language(note)})" if note else words]
    if tree["kind"] == "trigger":
        yield [localized("fact_price"), price_text(tree)]
    if "effect" in tree:
        yield [localized("fact_effect"), localized(f"effect_{tree['effect']}")]
        yield [localized("fact_repeat"), localized(f"repeat_{tree['repeat']}")]
    if "duration" in tree:
        yield [localized("fact_duration"), localized("duration_words", **tree["duration"])]
    if "source" in tree:
        yield [localized("fact_source"), localized(f"source_{tree['source']}")]
    if "interval" in tree:
        yield [localized("fact_interval"), localized("interval_words", **tree["interval"])]


def _print_inputs(tree: Tree, width: int) -> None:
    rows = []
    for path, field in named_fields(tree["inputs"]):
        presence = "optional" if field.get("default") is not None else field.get("presence", "optional")
        text = " ".join([in_user_language(field["help"]), *_options(field)])
        rows.append(([path, field.get("format") or field["type"], localized(f"presence_{presence}")], text))
    _print_wrapped(rows, width)


def _print_wrapped(rows: list[tuple[list[str], str]], width: int) -> None:
    """Print a table whose last column is wrapped text."""
    starts = table([cells for cells, _ in rows])
    indent = max(map(len, starts)) + 2
    for start, (_, text) in zip(starts, rows, strict=True):
        first, *others = wrap(text, max(MIN_TEXT_WIDTH, width - indent), break_on_hyphens=False)
        print(start.ljust(indent) + first)
        for line in others:
            print(" " * indent + line)


def named_fields(fields: list[Tree], prefix: str = "") -> Iterator[tuple[str, Tree]]:
    """Yield all fields except internal ones, named as `--set` takes them."""
    for field in fields:
        if field.get("internal"):
            continue
        path = prefix + field["name"]
        yield path, field
        yield from named_fields(field.get("fields", []), f"{path}[0]." if field["type"] == "list" else f"{path}.")


def _options(field: Tree) -> Iterator[str]:
    """Describe the possible values of a field."""
    if "values" in field:
        yield localized("options_values", values=" | ".join(choice["value"] for choice in field["values"]))
    if "lookup" in field:
        needs = [str(given)[1:] for given in field["lookup"].get("with", {}).values() if str(given).startswith("$")]
        command = f"kontor options {field['lookup']['id']}"
        yield (
            localized("options_lookup_with", command=command, needs=", ".join(needs))
            if needs
            else localized("options_lookup", command=command)
        )
    if field.get("default") is not None:
        yield localized("options_default", default=field["default"])


def example(tree: Tree) -> str | None:
    """Return an example command; None for what only a host can do."""
    verb = {"action": "run", "lookup": "options", "trigger": "poll"}[tree["kind"]]
    if tree.get("source") == "event":
        return None
    words = ["kontor", verb, tree["id"]]
    for name, value in example_inputs(tree).items():
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
        words += ["--set", f"{name}={text}"]
    if tree.get("effect", "read") != "read":
        words += ["--key", EXAMPLE_KEY]
    return " ".join(map(shlex.quote, words))


def example_inputs(tree: Tree) -> dict[str, Any]:
    """Return examples of the inputs that a call needs: the required ones, and one of those of which any is."""
    examples = {field["name"]: field.get("example", "…") for field in tree["inputs"]}
    needed = {one["name"] for one in tree["inputs"] if one.get("presence") == "required" and one.get("default") is None}
    for rule in tree.get("rules", ()):
        if "any_of" in rule and needed.isdisjoint(rule["any_of"]):
            needed.add(rule["any_of"][-1])
    return {name: value for name, value in examples.items() if name in needed}
