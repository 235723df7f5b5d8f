"""The input fields of a Zapier form: labels, help, dropdowns and line items, from a manifest's inputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.messages import Text, say
from connector.export.node.pack import sendable
from connector.export.shape import Dropped, ExportOptions
from connector.export.zapier.dropdowns import Dropdowns
from connector.export.zapier.wording import MAX_HELP, headline, help_text

TYPES = {"integer": "integer", "boolean": "boolean", "date-time": "datetime", "file": "file"}
"""All else is text: as a number, Zapier would carry an amount as a double and refuse what Kontor can read."""


class Forms:
    """Writes forms, and keeps note of what they cannot hold."""

    def __init__(self, dropdowns: Dropdowns, options: ExportOptions, library: Library) -> None:
        self._dropdowns = dropdowns
        self.library = library
        self._options = options
        self._lang = options.lang
        self.dropped: list[Dropped] = []

    def of(self, manifest: Action | Trigger) -> list[dict[str, Any]]:
        """The fields of a manifest's form, the required ones first, the advanced ones last."""
        order = {"required": 0, "optional": 1, "advanced": 2}
        shown = sorted((one for one in manifest.inputs if not one.internal), key=lambda one: order[one.presence])
        return [
            field for one in shown if self._is_there(one, manifest) for field in self._fields(one, manifest, one.name)
        ]

    def _is_there(self, field: Field, manifest: Manifest) -> bool:
        if self._options.via == "host" or sendable(field, self._options.wire):
            return True
        self.dropped.append(Dropped("field", f"{manifest.id}.{field.name}", say("dropped_no_parameter")))
        return False

    def _fields(self, field: Field, manifest: Manifest, key: str) -> Iterable[dict[str, Any]]:
        if field.type == "list":
            yield self._lines(field, manifest)
        elif field.type == "object" and field.fields:
            for one in field.fields:
                yield from self._fields(_within(field, one), manifest, f"{key}_{one.name}")
        else:
            yield self._plain(field, manifest, key)

    def _lines(self, field: Field, manifest: Manifest) -> dict[str, Any]:
        children: list[dict[str, Any]] = []
        for one in field.fields:
            key = f"{field.name}_{one.name}"  # two fields of a form may not share a key, whichever line they are on
            if one.type == "list":
                path = f"{manifest.id}.{field.name}.{one.name}"
                self.dropped.append(Dropped("field", path, say("zapier_one_entry")))
                # The line itself may be left without an entry, so none of the entry's fields is required.
                inner = [replace(_within(one, two), presence="optional") for two in one.fields]
                children += [self._plain(two, manifest, f"{key}_{two.name}") for two in inner]
            else:
                children += self._fields(one, manifest, key)
        help = " ".join(part for part in (help_text(field.help, self._lang), children[0].get("helpText")) if part)
        children[0]["helpText"] = help[:MAX_HELP]  # Zapier shows no help at the group itself
        return {"key": field.name, "label": headline(field.label, self._lang), "children": children}

    def _plain(self, field: Field, manifest: Manifest, key: str) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "key": key,
            "label": headline(field.label, self._lang),
            "helpText": help_text(field.help, self._lang),
            "required": field.required,
        }
        if field.type == "object":
            # What an action's own code reads may be nested: JSON text. What goes out as it is, is names and values.
            return {**shown, "type": "code"} if field.place == "none" else {**shown, "dict": True}
        shown["type"] = TYPES.get(field.type, "string")
        if field.default is not None:
            shown["default"] = _text(field.default)
        elif isinstance(field.example, str) and field.type not in ("file", "enum") and field.lookup is None:
            shown["placeholder"] = field.example
        if field.values:
            shown["choices"] = [
                {"value": choice.value, "sample": choice.value, "label": choice.label.in_(self._lang)}
                for choice in field.values
            ]
        if field.lookup is not None:
            shown |= self._dropdowns.of(field, manifest)
        return shown


def _within(outer: Field, inner: Field) -> Field:
    """A field that stands on the form without the group that it belongs to, and is named after both."""
    label = Text(*(f"{group}: {own}" for group, own in zip(outer.label, inner.label, strict=True)))
    return replace(inner, label=label)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
