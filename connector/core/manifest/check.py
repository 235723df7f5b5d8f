"""Checks manifests: form and references. A problem names file, line and what was meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import jsonschema
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from pydantic import ValidationError

from connector.core.compiled import read_yaml
from connector.core.errors import InputError
from connector.core.manifest import form
from connector.core.manifest.files import RESOURCES, library_files, read
from connector.core.manifest.library_form import library_schema
from connector.core.manifest.references import Known, broken_references, unknown_shared_inputs, unknown_types
from connector.core.messages import Text, say

Place = Sequence[str | int]
Trees = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a file."""

    file: str
    line: int
    where: str
    """The place in the manifest: `inputs[2].type`."""
    message: Text

    def as_dict(self, lang: str) -> dict[str, Any]:
        """As `kontor check --json` shows it."""
        return {"file": self.file, "line": self.line, "where": self.where, "message": self.message.in_(lang)}


def checked(folder: str, own: Trees | None, variable: str) -> Trees:
    """Everything in a folder. Raises `InputError` when something in it is wrong.

    `own` is what the package holds, for a folder of a user, which may refer to it; `variable` names that folder.
    """
    if own is not None and not Path(folder).is_dir():
        raise InputError(say("manifest_folder_missing", folder=folder, variable=variable), field=variable)
    trees, problems = examine(folder, own)
    if problems:
        first = problems[0]
        text = say("manifest_invalid", file=first.file, line=first.line, where=first.where, why=first.message)
        details = {"problems": [problem.as_dict("en") for problem in problems]}
        raise InputError(text, remedy=say("manifest_invalid_remedy"), field=first.where or "manifest", details=details)
    return trees


def examine(folder: str, own: Trees | None, only: str | None = None) -> tuple[Trees, list[Problem]]:
    """Everything in a folder, read by its form, and all that is wrong in it, or in one file of it."""
    try:
        trees, homes = read(folder)
    except (ValueError, yaml.YAMLError) as error:
        file, line = _yaml_place(error, folder)
        return {}, [Problem(file, line, "", say("manifest_not_yaml", why=str(error).splitlines()[0]))]
    known = Known(trees) if own is None else Known({name: {**own[name], **trees[name]} for name in trees}, own)
    problems: list[Problem] = []
    for home, part in library_files(folder):
        if _is_meant(home, only):
            problems += _library_problems(home, part, known)
    right: list[tuple[str, str]] = []
    for place, home in homes.items():
        kind, id = place.split("/")
        tree = trees[kind][id]
        wrong = list(_problems(home, kind, tree, known)) if _is_meant(home, only) else []
        problems += wrong
        with suppress(ValidationError, KeyError):  # what is wrong in its form was just said, or stands in another file
            known.trees[kind][id] = trees[kind][id] = form.read(tree, known.trees["fields"])
            right += [] if wrong else [(kind, id)]
    for kind, id in right:
        home = homes[f"{kind}/{id}"]
        if _is_meant(home, only):
            broken = broken_references(trees[kind][id], known, foreign=own is not None)
            problems += _placed(home, broken)
    return trees, problems


def _is_meant(home: str, only: str | None) -> bool:
    return only is None or Path(home).resolve() == Path(only).resolve()


def _placed(home: str, messages: Iterable[tuple[Place, Text]]) -> Iterator[Problem]:
    lines = _lines(home)
    for place, message in messages:
        yield Problem(home, _line(lines, place), _shown(place), message)


def _library_problems(home: str, part: str, known: Known) -> Iterator[Problem]:
    """What is wrong in a file that stands beside the manifests."""
    tree = read_yaml(home) or {}
    errors = _form_errors(library_schema(part), tree)
    yield from _placed(home, errors)
    if part == RESOURCES and not errors:
        yield from _placed(home, unknown_types(tree, known))


def _problems(home: str, kind: str, tree: Any, known: Known) -> Iterator[Problem]:
    """What is wrong in the form of a manifest, as it is written."""
    errors = _form_errors(form.manifest_schema(), tree)
    yield from _placed(home, errors)
    if errors:
        return
    if tree["kind"] != kind.removesuffix("s"):
        yield Problem(home, 1, "kind", say("manifest_in_wrong_folder", kind=tree["kind"], folder=kind))
    yield from _placed(home, unknown_shared_inputs(tree, known))


def _form_errors(schema: form.Tree, tree: Any) -> list[tuple[Place, Text]]:
    errors = [best_match([error]) for error in Draft202012Validator(schema).iter_errors(tree)]
    misspelt = [error.absolute_path for error in errors if error.validator == "additionalProperties"]
    return [
        (list(error.absolute_path), _explain(error))
        for error in errors
        if error.validator != "oneOf" or error.absolute_path not in misspelt  # what is missing is what was misspelt
    ]


def _explain(error: jsonschema.ValidationError) -> Text:
    """What is wrong, in both languages; the validator itself speaks English only."""
    untyped = cast("Any", error)
    instance, expected, schema = untyped.instance, untyped.validator_value, untyped.schema
    match error.validator:
        case "additionalProperties":
            allowed = list(schema["properties"])
            return _unknown(next(name for name in instance if name not in allowed), allowed)
        case "required":
            return say("manifest_key_missing", key=next(name for name in expected if name not in instance))
        case "enum" | "const":
            allowed = expected if error.validator == "enum" else [expected]
            return _not_allowed(instance, [str(value) for value in allowed])
        case "oneOf" if all(list(choice) == ["required"] for choice in expected):
            names = ", ".join(" + ".join(choice["required"]) for choice in expected)
            return say("manifest_exactly_one", names=names)
        case "type":
            return say("manifest_wrong_type", wanted=expected if isinstance(expected, str) else " / ".join(expected))
        case _:
            return say("manifest_wrong_form", value=str(instance)[:60], why=error.message[:200])


def _unknown(key: str, allowed: list[str]) -> Text:
    close = get_close_matches(key, allowed, n=1)
    if close:
        return say("manifest_key_meant", key=key, close=close[0])
    return say("manifest_key_unknown", key=key, allowed=", ".join(sorted(allowed)))


def _not_allowed(value: Any, allowed: list[str]) -> Text:
    close = get_close_matches(str(value), allowed, n=1)
    if close:
        return say("manifest_value_meant", value=value, close=close[0])
    return say("manifest_value_unknown", value=value, allowed=", ".join(allowed))


def _lines(home: str) -> yaml.Node | None:
    node: yaml.Node | None = yaml.compose(Path(home).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    return node


def _line(node: yaml.Node | None, place: Place) -> int:
    """The line on which a place stands; of a missing one, the line above it."""
    for step in place:
        inner = None
        if isinstance(node, yaml.MappingNode):
            inner = next((value for key, value in node.value if key.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            inner = node.value[step]
        if inner is None:
            break
        node = inner
    return node.start_mark.line + 1 if node is not None else 1


def _shown(place: Place) -> str:
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _yaml_place(error: Exception, folder: str) -> tuple[str, int]:
    mark = getattr(error, "problem_mark", None)
    return (str(mark.name), mark.line + 1) if mark is not None else (folder, 1)
