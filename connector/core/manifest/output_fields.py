"""The fields of an answer as a tree, from the resource that a manifest names and the sample that it shows.

Platforms want every output field declared beforehand, with a label and a type. What the resource does not describe (a
free-form answer, the fields that Kontor adds) is taken from the sample.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from connector.core.data.events import ARRIVED_AT, RECEIVED_AT
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Trigger
from connector.core.manifest.resource_schema import PLAIN, FieldType, fields_of
from connector.core.messages import Text

Kind = Literal["text", "number", "integer", "boolean", "object", "list"]
KINDS: dict[str, Kind] = {
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "object": "object",
}
ACRONYMS = {"id": "ID", "url": "URL", "iban": "IBAN", "bic": "BIC", "pdf": "PDF", "ip": "IP", "http": "HTTP"}
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
    words: str = ""
    """The set of words for these values."""
    fields: tuple[OutputField, ...] = ()
    of: Kind = "text"
    """What a list of plain values holds."""
    type: str = ""
    """The type as the resource declares it; empty where only the sample shows the field."""
    refers_to: str = ""
    """The resource that an id is one of."""


def output_fields(manifest: Action | Trigger, library: Library) -> tuple[OutputField, ...]:
    """The fields of a manifest's output; for a list those of one item."""
    fields = _described(manifest.resource, library)
    if isinstance(manifest, Trigger) and manifest.source == "event":
        fields += tuple(
            OutputField(name, "text", label(name, library), DATE_TIME) for name in (RECEIVED_AT, ARRIVED_AT)
        )
    return _completed(fields, one_sample(manifest), library)


def one_sample(manifest: Action | Trigger) -> dict[str, Any]:
    """The sample of one item, or of the whole output where it is not a list."""
    sample = manifest.sample
    if isinstance(manifest, Action) and manifest.is_list:
        sample = sample["items"]
    first: dict[str, Any] = sample[0] if isinstance(sample, list) else sample
    return first


def label(name: str, library: Library, resource: str = "") -> Text:
    """What a field is called: by its resource, by the labels of all, else by its own words (`next_at`: "Next at")."""
    own = library.resources.get(resource, {}).get("labels", {})
    declared = own.get(name) or library.labels.get(name)
    if declared is not None:
        return Text(declared["en"], declared["de"])
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.strip("_")).replace("_", " ")
    words = " ".join(ACRONYMS.get(word.lower(), word.lower()) for word in spaced.split()) or name
    return Text(*(words[:1].upper() + words[1:],) * 2)


def _described(resource: str, library: Library) -> tuple[OutputField, ...]:
    fields = fields_of(resource, library.told)
    return tuple(_field(name, type, label(name, library, resource), library) for name, type in fields.items())


def _field(name: str, declared: FieldType, label: Text, library: Library) -> OutputField:
    plain = PLAIN.get(declared.name, {"type": "object"})
    kind = KINDS[plain.get("type", "string")]
    inside = _described(declared.name, library)
    if declared.is_list:
        return OutputField(name, "list", label, nullable=declared.nullable, fields=inside, of=kind, type=declared.name)
    return OutputField(
        name,
        kind,
        label,
        plain.get("format"),
        declared.nullable,
        declared.known,
        declared.words,
        inside,
        type=declared.name,
        refers_to=declared.refers_to,
    )


def _completed(described: tuple[OutputField, ...], sample: Any, library: Library) -> tuple[OutputField, ...]:
    """The described fields, with what the sample shows beyond them."""
    if not isinstance(sample, Mapping):
        return described
    fields = {field.name: field for field in described}
    for name, value in sample.items():
        known = fields.get(name)
        if known is None:
            fields[name] = _shown(name, value, library)
        elif known.kind in ("object", "list"):
            inner = value[0] if isinstance(value, list) and value else value
            fields[name] = replace(known, fields=_completed(known.fields, inner, library))
    return tuple(fields.values())


def _shown(name: str, value: Any, library: Library) -> OutputField:
    """A field that only the sample knows."""
    named = label(name, library)
    if isinstance(value, Mapping):
        return OutputField(name, "object", named, fields=_completed((), value, library))
    if isinstance(value, list):
        first = value[0] if value else {}
        return OutputField(name, "list", named, fields=_completed((), first, library), of=_kind_of(first))
    return OutputField(name, _kind_of(value), named, nullable=value is None)


def _kind_of(value: Any) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, Mapping) else "text"
