"""The output fields of an operation, and its sample, as Zapier wants them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Trigger
from connector.core.manifest.output_fields import OutputField, one_sample, output_fields
from connector.export.zapier.wording import headline

TYPES = {"text": "string", "number": "number", "integer": "integer", "boolean": "boolean"}
STABLE = "_id"


def fields(manifest: Action | Trigger, library: Library, lang: str) -> list[dict[str, Any]]:
    """Every field of the output. Zapier recognises what a trigger has already fired by the primary one."""
    found = [one for field in output_fields(manifest, library) for one in _fields(field, field.name, lang)]
    if isinstance(manifest, Trigger):
        for one in found:
            if one["key"] == STABLE:
                one["primary"] = True
    return found


def sample(manifest: Action | Trigger) -> dict[str, Any]:
    """One item as the operation gives it."""
    one = one_sample(manifest)
    return {"id": one[STABLE], **one} if isinstance(manifest, Trigger) else one


def _fields(field: OutputField, key: str, lang: str, above: str = "") -> Iterable[dict[str, Any]]:
    label = f"{above}: {headline(field.label, lang)}" if above else headline(field.label, lang)
    if field.kind == "object":
        for inner in field.fields:
            yield from _fields(inner, f"{key}__{inner.name}", lang, label)
    elif field.kind == "list" and field.fields:
        children = [one for inner in field.fields for one in _fields(inner, inner.name, lang)]
        yield {"key": key, "label": label, "children": children}
    elif field.kind == "list":
        yield {"key": key, "label": label, "type": TYPES.get(field.of, "string"), "list": True}
    else:
        kind = "datetime" if field.format == "date-time" else TYPES[field.kind]
        yield {"key": key, "label": label, "type": kind}
