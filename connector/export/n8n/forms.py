"""The forms of the three nodes: resources and operations for the actions, a choice of triggers for the other two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.messages import say
from connector.export.n8n import wording
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.fields import ENOUGH_TO_SORT, Parameter, form
from connector.export.n8n.tables import sendable
from connector.export.shape import ExportOptions


def resources(areas: Sequence[str], lang: str) -> list[Parameter]:
    """The choice of an area."""
    options = [{"name": _area(area, lang), "value": area} for area in areas]
    return [
        {
            "displayName": say("n8n_resource").in_(lang),
            "name": "resource",
            "type": "options",
            "noDataExpression": True,
            "options": sorted(options, key=_name),
            "default": areas[0],
        }
    ]


def operations(area: str, actions: Sequence[Action], options: ExportOptions, dropdowns: Dropdowns) -> list[Parameter]:
    """The operations of one area, each with its form."""
    lang = options.lang
    choices = [
        {
            "name": wording.title(action.title, lang),
            "value": action.id,
            "description": wording.description(action.description, lang),
            "action": wording.sentence(action.title, lang),
        }
        for action in actions
    ]
    chooser = {
        "displayName": say("n8n_operation").in_(lang),
        "name": "operation",
        "type": "options",
        "noDataExpression": True,
        "displayOptions": {"show": {"resource": [area]}},
        "options": sorted(choices, key=_name),
        "default": min(choices, key=_name)["value"],
    }
    forms = [
        parameter
        for action in actions
        for parameter in _form(action, {"resource": [area], "operation": [action.id]}, options, dropdowns)
    ]
    return [chooser, *forms]


def triggers(found: Sequence[Trigger], options: ExportOptions, dropdowns: Dropdowns) -> list[Parameter]:
    """The choice of a trigger, each with its form."""
    lang = options.lang
    choices = [
        {
            "name": wording.title(one.title, lang),
            "value": one.id,
            "description": wording.description(one.description, lang),
        }
        for one in found
    ]
    chooser = {
        "displayName": say("n8n_trigger").in_(lang),
        "name": "trigger",
        "type": "options",
        "noDataExpression": True,
        "options": sorted(choices, key=_name) if len(choices) >= ENOUGH_TO_SORT else choices,
        "default": min(choices, key=_name)["value"],
    }
    forms = [parameter for one in found for parameter in _form(one, {"trigger": [one.id]}, options, dropdowns)]
    return [chooser, *forms]


def start(lang: str) -> list[Parameter]:
    """Where the first poll begins."""
    names = ("now", "all", "since")
    return [
        {
            "displayName": say("n8n_start").in_(lang),
            "name": "start",
            "type": "options",
            "noDataExpression": True,
            "options": [{"name": say(f"n8n_start_{name}").in_(lang), "value": name} for name in names],
            "default": "now",
            "description": wording.description(say("n8n_start_help"), lang),
        },
        {
            "displayName": say("n8n_since").in_(lang),
            "name": "since",
            "type": "string",
            "required": True,
            "default": "",
            "displayOptions": {"show": {"start": ["since"]}},
            "description": wording.description(say("n8n_since_help"), lang),
        },
    ]


def notice(name: str, lang: str) -> Parameter:
    """A plain warning at the top of a form."""
    return {"displayName": say(name).in_(lang), "name": "notice", "type": "notice", "default": ""}


def replace_switch(lang: str) -> Parameter:
    """Whether a foreign webhook URL may be taken over."""
    return {
        "displayName": say("export_replace_url").in_(lang),
        "name": "replaceForeign",
        "type": "boolean",
        "default": False,
        "description": wording.description(say("n8n_replace_help"), lang),
    }


def _form(
    manifest: Manifest, shown: dict[str, list[str]], options: ExportOptions, dropdowns: Dropdowns
) -> list[Parameter]:
    fields = [
        one if dropdowns.offers(one) else replace(one, lookup=None)
        for one in manifest.inputs
        if sendable(one, options.wire)
    ]

    def load(field: Field) -> tuple[str, list[str]]:
        return dropdowns.method(manifest, field)

    return form(fields, shown, options.lang, load)


def _area(area: str, lang: str) -> str:
    return say("n8n_area_any" if area == "any" else f"area_{area}").in_(lang)


def _name(option: dict[str, Any]) -> str:
    return str(option["name"]).lower()
