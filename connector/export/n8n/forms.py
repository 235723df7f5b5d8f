"""The forms of the triggers, and what all forms are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Manifest, Trigger
from connector.core.messages import template
from connector.export.n8n import wording
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.fields import ENOUGH_TO_SORT, Parameter, form
from connector.export.n8n.wording import word
from connector.export.node.costs import poll_costs
from connector.export.node.pack import sendable
from connector.export.shape import ExportOptions


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
    parameters: list[Parameter] = [
        {
            "displayName": word("n8n_trigger", lang),
            "name": "trigger",
            "type": "options",
            "noDataExpression": True,
            "options": sorted(choices, key=_name) if len(choices) >= ENOUGH_TO_SORT else choices,
            "default": min(choices, key=_name)["value"],
        }
    ]
    for trigger in found:
        shown = {"trigger": [trigger.id]}
        parameters.append(notice("costNotice", poll_costs(trigger).in_(lang), shown))
        parameters += form_of(trigger, shown, options, dropdowns)
    return parameters


def start(lang: str) -> list[Parameter]:
    """Where the first poll begins."""
    names = ("now", "all", "since")
    return [
        {
            "displayName": word("n8n_start", lang),
            "name": "start",
            "type": "options",
            "noDataExpression": True,
            "options": [{"name": word(f"n8n_start_{name}", lang), "value": name} for name in names],
            "default": "now",
            "description": wording.description(template("n8n_start_help"), lang),
        },
        {
            "displayName": word("n8n_since", lang),
            "name": "since",
            "type": "string",
            "required": True,
            "default": "",
            "displayOptions": {"show": {"start": ["since"]}},
            "description": word("n8n_since_help", lang),
        },
    ]


def events(found: Sequence[Trigger], options: ExportOptions, dropdowns: Dropdowns) -> list[Parameter]:
    """The form of the node that events start: whose the webhook URL is, the choice, and whether to take a URL over."""
    lang, chosen = options.lang, triggers(found, options, dropdowns)
    if options.via == "host":
        return [notice("notice", word("n8n_shared_hub", lang)), *chosen]
    switch = {
        "displayName": word("export_replace_url", lang),
        "name": "replaceForeign",
        "type": "boolean",
        "default": False,
        "description": word("n8n_replace_help", lang),
    }
    return [notice("notice", word("n8n_one_url", lang)), *chosen, switch]


def notice(name: str, words: str, shown: dict[str, Any] | None = None) -> Parameter:
    """A plain sentence in a form."""
    display = {"displayOptions": {"show": shown}} if shown else {}
    return {"displayName": words, "name": name, "type": "notice", "default": "", **display}


def form_of(
    manifest: Manifest,
    shown: dict[str, Any],
    options: ExportOptions,
    dropdowns: Dropdowns,
    left_out: frozenset[str] = frozenset(),
) -> list[Parameter]:
    """The fields of a manifest, shown under these choices; a lookup that the package lacks leaves a text field."""
    fields = [
        one if dropdowns.offers(one) else replace(one, lookup=None)
        for one in manifest.inputs
        if sendable(one, options.wire) and one.name not in left_out
    ]

    def load(field: Field) -> tuple[str, list[str]]:
        return dropdowns.method(manifest, field)

    return form(fields, shown, options.lang, load)


def _name(option: dict[str, Any]) -> str:
    return str(option["name"]).lower()
