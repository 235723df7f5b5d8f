"""The input fields of a Zapier form: labels, help, dropdowns and line items, from a manifest's inputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.model import Manifest
from connector.core.messages import say
from connector.export.shape import Dropped
from connector.export.zapier.dropdowns import Dropdowns
from connector.export.zapier.inputs import JSON_TEXTS
from connector.export.zapier.titles import headline

TYPES = {
    "money": "number",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "date-time": "datetime",
    "file": "file",
}
MOST_HELP = 1000


class Forms:
    """Writes forms, and keeps note of what they cannot hold."""

    def __init__(self, dropdowns: Dropdowns, lang: str) -> None:
        self._dropdowns = dropdowns
        self._lang = lang
        self.dropped: list[Dropped] = []

    def of(self, manifest: Manifest) -> list[dict[str, Any]]:
        """The fields of a manifest's form, the required ones first, the advanced ones last."""
        order = {"required": 0, "optional": 1, "advanced": 2}
        shown = sorted((one for one in manifest.inputs if not one.internal), key=lambda one: order[one.presence])
        if any(one.currency_field for one in _all(shown)):
            self.dropped.append(Dropped("check", manifest.id, say("zapier_decimals")))
        return [field for one in shown for field in self._fields(one, manifest, one.name)]

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
                self.dropped.append(
                    Dropped("field", f"{manifest.id}.{field.name}.{one.name}", say("zapier_only_first"))
                )
                # The line itself may be left without an entry, so none of the entry's fields is required.
                inner = [replace(_within(one, two), presence="optional") for two in one.fields]
                children += [self._plain(two, manifest, f"{key}_{two.name}") for two in inner]
            else:
                children += self._fields(one, manifest, key)
        help = " ".join(part for part in (field.help.in_(self._lang), children[0].get("helpText")) if part)
        children[0]["helpText"] = help[:MOST_HELP]  # Zapier shows no help at the group itself
        return {"key": field.name, "label": headline(field.label, self._lang), "children": children}

    def _plain(self, field: Field, manifest: Manifest, key: str) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "key": key,
            "label": headline(field.label, self._lang),
            "helpText": field.help.in_(self._lang)[:MOST_HELP],
            "required": field.required,
        }
        if field.type == "object":
            return {**shown, "type": "code"} if field.name in JSON_TEXTS else {**shown, "dict": True}
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
    label = say("zapier_within", outer=outer.label, inner=inner.label)
    return replace(inner, label=label)


def _all(fields: Iterable[Field]) -> Iterable[Field]:
    for field in fields:
        yield field
        yield from _all(field.fields)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
