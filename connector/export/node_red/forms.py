"""The forms of the editor: their structure, which goes into the page, and their words, which are translated.

A field has the widget that suits it; whatever the widget, it also takes a property, a variable or an expression.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.messages import LANGUAGES, Text, quote, say
from connector.export.node.contents import Contents
from connector.export.node.costs import poll_costs, run_costs
from connector.export.node.lookup_use import lookup_use
from connector.export.node.pack import sendable
from connector.export.shape import ExportOptions

WIDGETS = {"enum": "choice", "boolean": "yesno", "list": "json", "object": "json", "file": "file"}
"""All else is text: as a number, an amount would be a double."""
SECONDS = 60
NOTHING = quote("")


def structure(contents: Contents, options: ExportOptions) -> dict[str, Any]:
    """What the page knows of each form, without a word."""
    lookups = {one.id for one in contents.lookups}
    return {
        "actions": {
            one.id: {
                "area": one.area,
                **({"once": True} if one.repeat == "duplicates" else {}),
                "fields": _fields(one, options, lookups),
            }
            for one in contents.actions
        },
        "triggers": {
            one.id: {
                "source": one.source,
                **({"minutes": -(-one.usual_interval // SECONDS)} if one.source == "poll" else {}),
                "fields": _fields(one, options, lookups),
            }
            for one in contents.triggers
        },
    }


def words(contents: Contents, options: ExportOptions, lang: str) -> dict[str, Any]:
    """What the forms say, in one language, by the same names."""
    return {
        "areas": {one: say(f"area_{one}").in_(lang) for one in dict.fromkeys(one.area for one in contents.actions)},
        "actions": {one.id: _form_words(one, _notice(one, options), options, lang) for one in contents.actions},
        "triggers": {one.id: _form_words(one, poll_costs(one), options, lang) for one in contents.triggers},
    }


def shown(manifest: Action | Trigger, options: ExportOptions) -> list[Field]:
    """The fields of a form: the required ones first, the advanced ones last."""
    order = {"required": 0, "optional": 1, "advanced": 2}
    there = [one for one in manifest.inputs if not one.internal and sendable(one, options.wire)]
    return sorted(there, key=lambda one: order[one.presence])


def _notice(action: Action, options: ExportOptions) -> Text:
    """What a run costs, and what a repeat does where no host guards against it."""
    repeats = action.repeat == "duplicates" and options.via == "service"
    parts = [run_costs(action), *([say("node_red_repeats")] if repeats else [])]
    return Text(*(" ".join(filter(None, texts)) for texts in zip(*parts, strict=True)))


def _form_words(manifest: Action | Trigger, notice: Text, options: ExportOptions, lang: str) -> dict[str, Any]:
    return {
        "title": manifest.title.in_(lang),
        "about": manifest.description.in_(lang).strip(),
        "notice": notice.in_(lang),
        "fields": {one.name: _field_words(one, lang) for one in shown(manifest, options)},
    }


def _field_words(field: Field, lang: str) -> dict[str, Any]:
    values = {"values": [one.label.in_(lang) for one in field.values]} if field.values else {}
    return {"label": field.label.in_(lang), "help": _help(field, lang), **values}


def _help(field: Field, lang: str) -> str:
    more = NOTHING
    if field.type == "list" and field.fields:
        more = say("node_red_json_list", fields=_names(field.fields))
    elif field.fields:
        more = say("node_red_json_object", fields=_names(field.fields))
    elif field.type == "file":
        more = say("node_red_file")
    return " ".join(filter(None, (field.help.in_(lang).strip(), more.in_(lang))))


def _names(fields: Iterable[Field]) -> Text:
    return Text(*(", ".join(f"{one.name} ({one.label.in_(lang)})" for one in fields) for lang in LANGUAGES))


def _fields(manifest: Action | Trigger, options: ExportOptions, lookups: set[str]) -> list[dict[str, Any]]:
    return [_field(one, manifest, lookups) for one in shown(manifest, options)]


def _field(field: Field, manifest: Manifest, lookups: set[str]) -> dict[str, Any]:
    widget = WIDGETS.get(field.type, "text")
    found: dict[str, Any] = {"name": field.name, "widget": widget}
    if field.required:
        found["required"] = True
    if field.presence == "advanced":
        found["advanced"] = True
    if field.default is not None:
        found["default"] = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
    if field.values:
        found["values"] = [one.value for one in field.values]
    if field.lookup is not None and field.lookup.id in lookups:
        found["lookup"] = {"id": field.lookup.id, "inputs": lookup_use(manifest, field)}
    elif field.example is not None and widget in ("text", "json"):
        found["example"] = _example(field.example)
    return found


def _example(example: Any) -> str:
    if isinstance(example, Mapping | list):
        return json.dumps(example, ensure_ascii=False, default=str)
    return str(example)
