"""Checks what a manifest refers to: its own inputs, other manifests, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from connector.core.data.localize import Words
from connector.core.data.row_parts import PART, declared_parts
from connector.core.data.templates import NO_WORDS, Template
from connector.core.manifest.resource_schema import PLAIN, FieldType
from connector.core.messages import Text, say

Place = list[str | int]
Tree = Mapping[str, Any]
Broken = Iterator[tuple[Place, Text]]
FREE = "FreeForm"


class Known:
    """The names that references may use."""

    def __init__(self, trees: Mapping[str, dict[str, Any]], taken: Mapping[str, Mapping[str, Any]] | None = None):
        """`taken`: manifests whose ids and roles are given already."""
        from connector.core.service.wire import Wire

        self.trees = trees
        self.taken = taken or {}
        self.wires = list(Wire.shipped())
        self.roles: dict[str, str] = {}
        for id, tree in [*trees["actions"].items(), *trees["lookups"].items()]:
            if isinstance(tree, dict) and "role" in tree:
                self.roles.setdefault(tree["role"], id)

    def names(self, part: str) -> list[str]:
        """All names of a part: `lookups`, `formats`, `resources` …"""
        return list(self.trees[part])


def broken_references(tree: Tree, known: Known, *, foreign: bool) -> Broken:
    """Everything that a manifest, right in its form, names and that is not there."""
    inputs = {field["name"]: field for field in tree["inputs"]}
    yield from _own_identity(tree, known, foreign)
    yield from _fields(tree["inputs"], ["inputs"], inputs, known)
    if "output" in tree:
        yield from _named(tree["output"]["resource"], [*known.names("resources"), FREE], ["output", "resource"])
        yield from _columns(tree["output"], known)
        yield from _pick(tree["output"].get("shape", {}).get("pick", {}), inputs)
    yield from _groups(tree.get("groups", ()), inputs)
    if "by" in tree.get("request", {}).get("paths", {}):
        yield from _named(tree["request"]["paths"]["by"], inputs, ["request", "paths", "by"])
    for place, rule in enumerate(tree.get("rules", ())):
        yield from _rule(rule, ["rules", place], inputs, known)
    yield from _poll(tree.get("poll", {}), inputs, known)
    yield from _event(tree.get("event", {}), inputs)
    yield from _templates(tree.get("options", {}), ("label", "hint"), ["options"], known.trees["words"])
    for place, id in enumerate(tree.get("refreshes", ())):
        yield from _named(id, known.names("lookups"), ["refreshes", place])
    if "read_back" in tree:
        for part in ("action", "one"):
            if part in tree["read_back"]:
                yield from _named(tree["read_back"][part], known.names("actions"), ["read_back", part])
        yield from _named(tree["read_back"]["key_field"], inputs, ["read_back", "key_field"])
    if tree.get("moves") == "money" and "money" not in tree:
        yield ["moves"], say("manifest_money_missing")
    for part, name in tree.get("money", {}).items():
        yield from _named(name, inputs, ["money", part])


def unknown_shared_inputs(tree: Tree, known: Known) -> Broken:
    """The shared inputs that a manifest, as it is written, uses and that are not there."""
    for place, field in enumerate(tree["inputs"]):
        if "use" in field:
            yield from _named(field["use"], known.names("fields"), ["inputs", place, "use"])


def unknown_types(resources: Tree, known: Known) -> Broken:
    """The fields whose type is neither a plain one nor a resource, and those from others that there are none of."""
    for name, declared in resources.items():
        for field, declared_type in declared["fields"].items():
            type, place = FieldType.of(declared_type), [name, "fields", field]
            yield from _named(type.name, [*PLAIN, *known.names("resources")], place)
            if type.refers_to:
                yield from _named(type.refers_to, known.names("resources"), [*place, "refers_to"])
        for part, path in _paths_of(declared.get("shows", {})):
            yield from _named(path.partition(".")[0], declared["fields"], [name, "shows", part])
        for at, named in enumerate(declared.get("from_others", ())):
            yield from _named(named, declared["fields"], [name, "from_others", at])


def _paths_of(shows: Tree) -> Iterator[tuple[str, str]]:
    """The fields that the parts of a row name, with which part."""
    for part, declared in shows.items():
        sources = declared if isinstance(declared, list) else [declared]
        if isinstance(declared, dict):
            sources = [*declared.get("received", ()), *declared.get("paid", ()), declared]
        for source in sources:
            path = source if isinstance(source, str) else source.get("text", source.get("field"))
            if path is not None:
                yield part, path


def _own_identity(tree: Tree, known: Known, foreign: bool) -> Broken:
    if tree["id"] in known.taken.get(f"{tree['kind']}s", {}):
        yield ["id"], say("manifest_id_taken", id=tree["id"])
    if "role" in tree and known.roles[tree["role"]] != tree["id"]:
        yield ["role"], say("manifest_role_taken", role=tree["role"], id=known.roles[tree["role"]])
    if foreign and (tree.get("code") or tree.get("poll", {}).get("code")):
        yield ["code"] if tree.get("code") else ["poll", "code"], say("manifest_code_foreign")
    if tree["kind"] == "lookup" and "request" not in tree and not {"table", "years"} & set(tree["options"]):
        yield ["options"], say("manifest_rows_missing")


def _fields(fields: Iterable[Tree], place: Place, inputs: Tree, known: Known) -> Broken:
    for number, field in enumerate(fields):
        here = [*place, number]
        if "format" in field:
            yield from _named(field["format"], known.names("formats"), [*here, "format"])
        if "wire" in field:
            yield from _named(field["wire"], known.wires, [*here, "wire"])
        if "currency_field" in field:
            yield from _named(field["currency_field"], inputs, [*here, "currency_field"])
        if "lookup" in field:
            yield from _lookup_use(field["lookup"], [*here, "lookup"], inputs, known)
        if "suggest" in field:
            yield from _lookup_use(field["suggest"], [*here, "suggest"], inputs, known)
            for name in field["suggest"].get("fills", ()):
                yield from _named(name, inputs, [*here, "suggest", "fills", name])
        yield from _fields(field.get("fields", ()), [*here, "fields"], inputs, known)


def _lookup_use(use: Tree, place: Place, inputs: Tree, known: Known) -> Broken:
    if use["id"] not in known.trees["lookups"]:
        yield from _named(use["id"], known.names("lookups"), [*place, "id"])
        return
    taken = {field.get("name") for field in known.trees["lookups"][use["id"]].get("inputs", ())}
    for name, source in use.get("with", {}).items():
        yield from _named(name, taken, [*place, "with", name])
        if isinstance(source, str) and source.startswith("$"):
            yield from _named(source[1:], inputs, [*place, "with", name])


def _groups(groups: Iterable[Tree], inputs: Tree) -> Broken:
    """The groups of a form: each names inputs that are there, and every input that is not advanced stands in one."""
    named: list[str] = []
    for place, group in enumerate(groups):
        for number, name in enumerate(group["inputs"]):
            here: Place = ["groups", place, "inputs", number]
            yield from _named(name, inputs, here)
            if name in named:
                yield here, say("manifest_grouped_twice", name=name)
            named.append(name)
    if named:
        shown = [
            field for field in inputs.values() if field.get("presence") != "advanced" and not field.get("internal")
        ]
        for name in (field["name"] for field in shown if field["name"] not in named):
            yield ["groups"], say("manifest_not_grouped", name=name)


def _columns(output: Tree, known: Known) -> Broken:
    """The columns that are parts of a row; what a plain column names, the sample shows."""
    table = output.get("table", {})
    for place, columns, rows in (
        (["output", "columns"], output.get("columns", ()), ""),
        (["output", "table", "columns"], table.get("columns", ()), table.get("rows", "")),
    ):
        parts = declared_parts(known.trees["resources"], output["resource"], rows)
        for number, name in enumerate(columns):
            if name.startswith(PART):
                yield from _named(name, [f"{PART}{part}" for part in parts], [*place, number])


def _pick(pick: Tree, inputs: Tree) -> Broken:
    place: Place = ["output", "shape", "pick"]
    if pick:
        picked = [name for name, field in inputs.items() if "lookup" in field]
        yield from _named(pick["input"], picked, [*place, "input"])
        for number, name in enumerate(pick.get("with", ())):
            yield from _named(name, inputs, [*place, "with", number])


def _rule(entry: Tree, place: Place, inputs: Tree, known: Known) -> Broken:
    name, declared = next((name, declaration) for name, declaration in entry.items() if name not in ("words", "warn"))
    here = [*place, name]
    for within, path in rule_paths(declared):
        yield from _named(path.split("[")[0].split(".")[0], inputs, [*here, *within])
    if name == "file":
        for kind in declared["kinds"]:
            yield from _named(kind, known.names("file_kinds"), [*here, "kinds"])
    if name == "pattern":
        for key in ("match", "not"):
            try:
                re.compile(declared.get(key, ""))
            except re.error as error:
                yield [*here, key], say("manifest_wrong_form", value=declared[key], why=error)


def rule_paths(declared: Any) -> Iterator[tuple[Place, str]]:
    """The inputs that a rule names, with where."""
    if isinstance(declared, str):
        yield [], declared
    elif isinstance(declared, list):
        for number, path in enumerate(declared):
            yield [number], path
    else:
        for key in ("field", "equals", "length", "each", "of", "currency"):
            if isinstance(declared.get(key), str):
                yield [key], declared[key]
        for number, path in enumerate(declared.get("fields", ())):
            yield ["fields", number], path
        for other in declared.get("needs", {}):
            yield ["needs", other], other


def _poll(poll: Tree, inputs: Tree, known: Known) -> Broken:
    for strategy, declared in poll.items():
        if not isinstance(declared, dict):
            continue
        place: Place = ["poll", strategy]
        for key in ("after", "since", "days", "only", "group", "part"):
            if isinstance(declared.get(key), str):
                yield from _named(declared[key], inputs, [*place, key])
        for part, key in (("wait", "unless"), ("skip", "unless"), ("look_back", "since")):
            if key in declared.get(part, {}):
                yield from _named(declared[part][key], inputs, [*place, part, key])
        for part in ("below", "within"):
            if part in declared:
                yield from _named(declared[part]["input"], inputs, [*place, part, "input"])
        if "each" in declared:
            yield from _named(declared["each"]["input"], inputs, [*place, "each", "input"])
            yield from _named(declared["each"]["from"], known.names("lookups"), [*place, "each", "from"])
        if "states" in declared:
            yield from _named(declared["states"], known.names("states"), [*place, "states"])
        yield from _templates(declared, ("key", "id"), place)


def _event(event: Tree, inputs: Tree) -> Broken:
    for name, declared in event.get("filters", {}).items():
        yield from _named(name, inputs, ["event", "filters", name])
        if isinstance(declared, dict) and "named" in declared:
            yield from _named(declared["named"], inputs, ["event", "filters", name, "named"])


def _templates(declared: Tree, keys: Iterable[str], place: Place, words: Words = NO_WORDS) -> Broken:
    for key in keys:
        if key in declared:
            try:
                Template(declared[key], words)
            except ValueError as error:
                yield [*place, key], say("manifest_wrong_form", value=declared[key], why=error)


def _named(name: str, known: Iterable[str], place: Place) -> Broken:
    names = list(known)
    if name not in names:
        close = get_close_matches(name, names, n=1)
        if close:
            yield place, say("manifest_value_meant", value=name, close=close[0])
        else:
            yield place, say("manifest_value_unknown", value=name, allowed=", ".join(sorted(names)))
