"""What Zapier's own schema does not notice, and a user of the package or Zapier's review would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from connector.core.messages import template
from connector.export.shape import Export, Finding
from connector.export.zapier.wording import ABOUT_FIELD

APP = "kontor-app.json"
PACK = "pack.json"
KINDS = ("triggers", "searches", "creates")
HOOK_PARTS = ("perform", "performList", "performSubscribe", "performUnsubscribe")
MAX_LABEL = 64
MAX_DESCRIPTION = 140
BEGINNINGS = {"triggers": "zapier_trigger_begins", "searches": "zapier_search_begins"}
"""How Zapier's guidelines want a description to begin; that of a create begins with a verb in the third person."""
THIRD_PERSON = {"en": r"\w+s\b", "de": r"\w+t\b"}
BARE_LINK = re.compile(r"(?<![`(])https?://")
Operation = Mapping[str, Any]
Whole = Mapping[str, Any]


def lint(export: Export) -> list[Finding]:
    """All findings of a package."""
    app: dict[str, Any] = json.loads(export.files[APP])
    pack: dict[str, Any] = json.loads(export.files[PACK])
    findings = [Finding(APP, message) for message in _account(app)]
    for kind in KINDS:
        for key, one in app.get(kind, {}).items():
            where = f"{kind}.{key}"
            for rule in RULES:
                findings += [Finding(where, message) for message in rule(kind, one, {**app, "lang": pack["lang"]})]
    return findings + [Finding(f"searchOrCreates.{key}", message) for key, message in _pairs(app)]


def _pairs(app: Whole) -> Iterator[tuple[str, str]]:
    for key, one in app.get("searchOrCreates", {}).items():
        if not key == one["key"] == one["search"]:
            yield key, "its key is not that of its search"
        for kind, name in (("searches", one["search"]), ("creates", one["create"])):
            if name not in app.get(kind, {}):
                yield key, f"it names {name}, which is not among the {kind}"


def _account(app: Whole) -> Iterator[str]:
    fields = app.get("authentication", {}).get("fields", [])
    if not any(field["type"] == "password" for field in fields):
        yield "no field of the account is secret"
    if not app.get("authentication", {}).get("connectionLabel"):
        yield "a connected account has no label"
    if not app.get("authentication", {}).get("test"):
        yield "the account is not tested"
    for field in fields:
        if field["type"] == "password" and field.get("default"):
            yield f"the secret field {field['key']} has a default"


def _names(kind: str, one: Operation, app: Whole) -> Iterator[str]:
    if app[kind].get(one["key"]) is not one:
        yield "its key is not the one it is filed under"
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]+", one["key"]):
        yield "its key has signs that Zapier does not allow"
    display = one["display"]
    for name in ("label", "description"):
        said = display.get(name, "")
        if not said or said[:1] != said[:1].upper():
            yield f"its {name} is missing or begins with a small letter"
    if len(display.get("label", "")) > MAX_LABEL:
        yield "its label is too long"
    if not one.get("noun"):
        yield "its noun is missing"


def _description(kind: str, one: Operation, app: Whole) -> Iterator[str]:
    said = one["display"].get("description", "")
    if one["display"].get("hidden") or not said:
        return
    begins = re.escape(template(BEGINNINGS[kind]).in_(app["lang"])) if kind in BEGINNINGS else THIRD_PERSON[app["lang"]]
    if not re.match(rf"{begins}(?!\w)", said):
        yield f"its description does not begin as Zapier wants it for {kind}"
    if len(said) > MAX_DESCRIPTION:
        yield "its description is too long"
    if not said.endswith(".") or ". " in said:
        yield "its description is not one sentence"
    if BARE_LINK.search(said):
        yield "its description has a bare link"


def _samples(kind: str, one: Operation, app: Whole) -> Iterator[str]:
    operation = one["operation"]
    sample, fields = operation.get("sample"), operation.get("outputFields")
    if not sample:
        yield "it has no sample"
    if not fields:
        yield "it has no output fields"
    if not sample or not fields:
        return
    known = {field["key"].split("__")[0] for field in fields} | {"id"}
    for name in sample:
        if name not in known and name != "hint":
            yield f"its sample has {name}, which no output field names"
    if kind == "triggers":
        if sample.get("id") in (None, ""):
            yield "its sample has no id"
        if not one["display"].get("hidden") and not any(field.get("primary") for field in fields):
            yield "no output field is primary: what has fired would be told apart by id alone"


def _steps(kind: str, one: Operation, app: Whole) -> Iterator[str]:
    operation = one["operation"]
    wanted = HOOK_PARTS if operation.get("type") == "hook" else ("perform",)
    for name in wanted:
        if not operation.get(name):
            yield f"{name} is missing"
    for name, step in operation.items():
        if name.startswith("perform") and not (step.get("does") and step.get("id")):
            yield f"{name} does not say what it does"
    step = operation.get("perform", {})
    if step.get("slow") and not operation.get("performResume"):
        yield "it waits to be called back, but has no performResume"
    if kind == "searches" and step.get("finds") not in ("one", "many"):
        yield "it does not say whether it finds one thing or many"


def _forms(kind: str, one: Operation, app: Whole) -> Iterator[str]:
    fields = one["operation"].get("inputFields", [])
    every = [*fields, *(child for parent in fields for child in parent.get("children", ()))]
    keys = [field["key"] for field in every]
    if len(keys) != len(set(keys)):
        yield "two of its fields have the same key"
    for field in every:
        key, label, help = field["key"], field.get("label", ""), field.get("helpText", "")
        if not label or label[:1] != label[:1].upper():
            yield f"the label of {key} is missing or begins with a small letter"
        if not one["display"].get("hidden") and "children" not in field and not help:
            yield f"{key} has no help"
        if help.rstrip(".").lower() == label.lower():
            yield f"the help of {key} says no more than its label"
        if BARE_LINK.search(help):
            yield f"the help of {key} has a bare link"
        if (field.get("type") == "copy") is not (key == ABOUT_FIELD):
            yield f"{key} is shown as a text, or a text as a field"
        for child in field.get("children", ()):
            if "children" in child:
                yield f"{key} has lines within lines"
        for needed in field.get("dependsOn", ()):
            if needed not in keys:
                yield f"{key} depends on {needed}, which the form does not have"
        if "dynamic" in field:
            yield from _dynamic(key, field["dynamic"], keys, app)


def _dynamic(key: str, dynamic: str, keys: list[str], app: Whole) -> Iterator[str]:
    target, *outputs = dynamic.split(".")
    hidden = app.get("triggers", {}).get(target)
    if hidden is None:
        yield f"the dropdown of {key} names the trigger {target}, which is not there"
        return
    known = {field["key"] for field in hidden["operation"].get("outputFields", [])}
    for output in outputs:
        if output not in known:
            yield f"the dropdown of {key} shows {output}, which {target} does not give"
    for field in hidden["operation"].get("inputFields", []):
        if field.get("required") and field["key"] not in keys:
            yield f"the dropdown of {key} needs {field['key']}, which the form does not have"


def _data(kind: str, one: Operation, app: Whole) -> Iterator[str]:
    """An object with `source` or `require` among one or two keys would be turned into a function."""
    pending: list[Any] = [one["operation"].get("sample")]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if {"source", "require"} & set(value):
                yield "its sample has a key that Zapier takes for code"
            pending += value.values()
        elif isinstance(value, list):
            pending += value


RULES: tuple[Callable[[str, Operation, Whole], Iterator[str]], ...] = (
    _names,
    _description,
    _samples,
    _steps,
    _forms,
    _data,
)
