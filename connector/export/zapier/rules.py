"""What Zapier's own schema does not notice, and a user of the package would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from connector.export.shape import Export, Finding

APP = "kontor-app.json"
KINDS = ("triggers", "searches", "creates")
HOOK_PARTS = ("perform", "performList", "performSubscribe", "performUnsubscribe")
MOST_LABEL = 64
MOST_TEXT = 1000
Operation = Mapping[str, Any]


def lint(export: Export) -> list[Finding]:
    """All findings of a package."""
    app: dict[str, Any] = json.loads(export.files[APP])
    findings = [Finding(APP, message) for message in _of_the_app(app)]
    for kind in KINDS:
        for key, one in app.get(kind, {}).items():
            where = f"{kind}.{key}"
            for rule in RULES:
                findings += [Finding(where, message) for message in rule(kind, one, app)]
    return findings


def _of_the_app(app: Mapping[str, Any]) -> Iterator[str]:
    fields = app.get("authentication", {}).get("fields", [])
    if not any(field["type"] == "password" for field in fields):
        yield "no field of the account is secret"
    if not app.get("authentication", {}).get("connectionLabel"):
        yield "a connected account has no label"
    for name in ("beforeRequest", "afterResponse"):
        if not app.get(name):
            yield f"{name} is missing: requests would carry no key, errors no remedy"
    for field in fields:
        if field["type"] == "password" and field.get("default"):
            yield f"the secret field {field['key']} has a default"


def _names(kind: str, one: Operation, app: Mapping[str, Any]) -> Iterator[str]:
    if app[kind].get(one["key"]) is not one:
        yield "its key is not the one it is filed under"
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]+", one["key"]):
        yield "its key has signs that Zapier does not allow"
    display = one["display"]
    for name in ("label", "description"):
        said = display.get(name, "")
        if not said or said[:1] != said[:1].upper():
            yield f"its {name} is missing or begins with a small letter"
    if len(display.get("label", "")) > MOST_LABEL:
        yield "its label is too long"
    if len(display.get("description", "")) > MOST_TEXT:
        yield "its description is too long"
    if not one.get("noun"):
        yield "its noun is missing"


def _samples(kind: str, one: Operation, app: Mapping[str, Any]) -> Iterator[str]:
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


def _functions(kind: str, one: Operation, app: Mapping[str, Any]) -> Iterator[str]:
    operation = one["operation"]
    wanted = HOOK_PARTS if operation.get("type") == "hook" else ("perform",)
    for name in wanted:
        if not operation.get(name):
            yield f"{name} is missing"
    for name, part in operation.items():
        if name.startswith("perform") and "return" not in part.get("source", "return"):
            yield f"{name} never returns: Zapier would take it for data"
        if "{{" in part.get("source", "") if isinstance(part, Mapping) else False:
            yield f"{name} holds double braces, which Zapier refuses in code"
    if "generateCallbackUrl" in json.dumps(operation) and not operation.get("performResume"):
        yield "it waits to be called back, but has no performResume"


def _forms(kind: str, one: Operation, app: Mapping[str, Any]) -> Iterator[str]:
    fields = one["operation"].get("inputFields", [])
    every = [*fields, *(child for parent in fields for child in parent.get("children", ()))]
    keys = [field["key"] for field in every]
    if len(keys) != len(set(keys)):
        yield "two of its fields have the same key"
    for field in every:
        key, label = field["key"], field.get("label", "")
        if not label or label[:1] != label[:1].upper():
            yield f"the label of {key} is missing or begins with a small letter"
        if not one["display"].get("hidden") and "children" not in field and not field.get("helpText"):
            yield f"{key} has no help"
        for child in field.get("children", ()):
            if "children" in child:
                yield f"{key} has lines within lines"
        for needed in field.get("dependsOn", ()):
            if needed not in keys:
                yield f"{key} depends on {needed}, which the form does not have"
        if "dynamic" in field:
            yield from _dynamic(key, field["dynamic"], keys, app)


def _dynamic(key: str, dynamic: str, keys: list[str], app: Mapping[str, Any]) -> Iterator[str]:
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


def _data(kind: str, one: Operation, app: Mapping[str, Any]) -> Iterator[str]:
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


RULES: tuple[Callable[[str, Operation, Mapping[str, Any]], Iterator[str]], ...] = (
    _names,
    _samples,
    _functions,
    _forms,
    _data,
)
