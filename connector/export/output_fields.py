"""The fields of an answer as a tree, from the resource that a manifest names and the sample that it shows.

Platforms want every output field declared beforehand, with a label and a type. What the resource does not describe (a
free-form answer, the fields that Kontor adds) is taken from the sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from connector.core.manifest.model import Action, Trigger
from connector.core.messages import Text
from connector.export.output_words import label

if TYPE_CHECKING:
    from connector.core.resources.model import Resource

ROOMS = ("accounting", "banking", "errors", "events", "ledger", "mobility", "person_account")
Kind = Literal["text", "number", "integer", "boolean", "object", "list"]
KINDS: dict[str, Kind] = {
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "object": "object",
    "array": "list",
}
DATE_TIME, DATE = "date-time", "date"


@dataclass(frozen=True, slots=True)
class OutputField:
    """One field of an answer. A list's `fields` are those of its items; a list of plain values has none."""

    name: str
    kind: Kind
    label: Text
    format: str | None = None
    nullable: bool = False
    known: tuple[str, ...] = ()
    """Values that the service describes, without closing the set."""
    fields: tuple[OutputField, ...] = ()
    of: Kind = "text"
    """What a list of plain values holds."""


def output_fields(manifest: Action | Trigger) -> tuple[OutputField, ...]:
    """The fields of a manifest's output; for a list those of one item."""
    described = _described(manifest.resource)
    return _completed(described, one_sample(manifest))


def one_sample(manifest: Action | Trigger) -> dict[str, Any]:
    """The sample of one item, or of the whole output where it is not a list."""
    sample = manifest.sample
    if isinstance(manifest, Action) and manifest.is_list:
        sample = sample["items"]
    found: dict[str, Any] = sample[0] if isinstance(sample, list) else sample
    return found


@lru_cache(maxsize=64)
def _described(resource: str) -> tuple[OutputField, ...]:
    for room in ROOMS:
        model: type[Resource] | None = getattr(import_module(f"connector.core.resources.{room}"), resource, None)
        if model is not None:
            schema = model.model_json_schema()
            return tuple(_fields(schema, schema.get("$defs", {})))
    return ()


def _fields(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Iterable[OutputField]:
    for name, inner in schema.get("properties", {}).items():
        yield _field(name, inner, defs)


def _field(name: str, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> OutputField:
    choices = [schema] if "anyOf" not in schema else list(schema["anyOf"])
    nullable = any(choice.get("type") == "null" for choice in choices)
    choices = [choice for choice in choices if choice.get("type") != "null"]
    while choices and "anyOf" in choices[0]:  # the known values of a text are a choice inside a choice
        choices = [*choices[0]["anyOf"], *choices[1:]]
    known = tuple(value for choice in choices for value in choice.get("enum", ()))
    first: Mapping[str, Any] = choices[0] if choices else {"type": "string"}
    if "$ref" in first:
        first = defs[first["$ref"].rsplit("/", 1)[1]]
    kind = KINDS[first.get("type", "string")]
    field = OutputField(name, kind, label(name), first.get("format"), nullable, known)
    if kind == "object":
        return replace(field, fields=tuple(_fields(first, defs)))
    if kind == "list":
        item = _field(name, first.get("items", {}), defs)
        return replace(field, fields=item.fields, of=item.kind)
    return field


def _completed(described: tuple[OutputField, ...], sample: Any) -> tuple[OutputField, ...]:
    """The described fields, with what the sample shows beyond them."""
    if not isinstance(sample, Mapping):
        return described
    fields = {field.name: field for field in described}
    for name, value in sample.items():
        known = fields.get(name)
        if known is None:
            fields[name] = _shown(name, value)
        elif known.kind in ("object", "list"):
            inner = value[0] if isinstance(value, list) and value else value
            fields[name] = replace(known, fields=_completed(known.fields, inner))
    return tuple(fields.values())


def _shown(name: str, value: Any) -> OutputField:
    """A field that only the sample knows."""
    if isinstance(value, Mapping):
        return OutputField(name, "object", label(name), fields=_completed((), value))
    if isinstance(value, list):
        first = value[0] if value else ""
        return OutputField(name, "list", label(name), fields=_completed((), first), of=_kind_of(first))
    return OutputField(name, _kind_of(value), label(name), nullable=value is None)


def _kind_of(value: Any) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, Mapping) else "text"
