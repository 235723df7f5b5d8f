"""The form of the action node: what there is as resources, what can be done with each as operations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from connector.core.manifest.model import Action
from connector.core.messages import Text, template
from connector.export.n8n import wording
from connector.export.n8n.costs import cost_notice
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.fields import Parameter
from connector.export.n8n.forms import form_of, notice
from connector.export.n8n.wording import word
from connector.export.shape import ExportOptions

AREAS = ("ledger", "banking", "mobility", "any")
LIMIT = "limit"
USUAL_LIMIT = 50


@dataclass(frozen=True, slots=True)
class Resource:
    """What some actions are about."""

    noun: Text
    actions: tuple[Action, ...]

    @property
    def area(self) -> str:
        """Where it belongs."""
        return self.actions[0].area

    @property
    def value(self) -> str:
        """Its name among the parameters: `cashBookEntry`."""
        first, *rest = re.findall(r"\w+", self.noun.en.lower())
        return "".join((first, *(part.capitalize() for part in rest)))


def resources(actions: Iterable[Action]) -> list[Resource]:
    """The actions by what they are about, in the order of the areas."""
    found: dict[Text, list[Action]] = {}
    for action in sorted(actions, key=lambda one: (AREAS.index(one.area), one.id)):
        found.setdefault(noun_of(action), []).append(action)
    return [Resource(noun, tuple(held)) for noun, held in found.items()]


def noun_of(action: Action) -> Text:
    """What an action is about; its area where its manifest does not say."""
    return action.noun or template(f"area_{action.area}")


def chooser(found: Sequence[Resource], lang: str) -> Parameter:
    """The choice of a resource."""
    options = [{"name": wording.title(one.noun, lang), "value": one.value} for one in found]
    return {
        "displayName": word("resource", lang),
        "name": "resource",
        "type": "options",
        "noDataExpression": True,
        "options": sorted(options, key=_name),
        "default": found[0].value,
    }


def operations(resource: Resource, options: ExportOptions, dropdowns: Dropdowns) -> list[Parameter]:
    """The operations of one resource, each with its form."""
    lang = options.lang
    names = operation_names(resource, lang)
    choices = [
        {
            "name": names[action.id],
            "value": action.id,
            "description": wording.description(action.description, lang),
            "action": wording.sentence(action.title, lang),
        }
        for action in resource.actions
    ]
    parameters: list[Parameter] = [
        {
            "displayName": word("operation", lang),
            "name": "operation",
            "type": "options",
            "noDataExpression": True,
            "displayOptions": {"show": {"resource": [resource.value]}},
            "options": sorted(choices, key=_name),
            "default": min(choices, key=_name)["value"],
        }
    ]
    for action in resource.actions:
        shown = {"resource": [resource.value], "operation": [action.id]}
        left_out = frozenset({LIMIT}) if action.is_list else frozenset[str]()
        parameters += _notices(action, shown, options)
        parameters += form_of(action, shown, options, dropdowns, left_out)
        parameters += _paging(action, shown, lang) if action.is_list else []
    return parameters


def operation_names(resource: Resource, lang: str) -> dict[str, str]:
    """What the operations are called beside their resource; by their whole titles where that would not tell apart."""
    short = {action.id: _short_name(action, resource.noun, lang) for action in resource.actions}
    times = Counter(short.values())
    whole = {action.id: wording.title(action.title, lang) for action in resource.actions}
    return {id: name if times[name] == 1 else whole[id] for id, name in short.items()}


def _short_name(action: Action, noun: Text, lang: str) -> str:
    if not action.writes:
        return word("get_many" if action.is_list else "get", lang)
    title = action.title.in_(lang)
    rest = " ".join(re.sub(re.escape(noun.in_(lang)), "", title, flags=re.IGNORECASE).split())
    return wording.title(Text(rest or title, rest or title), lang)


def _notices(action: Action, shown: dict[str, Any], options: ExportOptions) -> list[Parameter]:
    """What it costs; and, where no host guards against it, what a repeat does."""
    cost = cost_notice("costs", action.cost, options.lang)
    found = [notice("costNotice", cost, shown)] if cost else []
    if action.repeat == "duplicates" and options.via == "service":
        found.append(notice("repeatNotice", word("repeats", options.lang), shown))
    return found


def _paging(action: Action, shown: dict[str, Any], lang: str) -> list[Parameter]:
    own = next((field for field in action.inputs if field.name == LIMIT), None)
    most = {"maxValue": int(own.max)} if own and own.max else {}
    return [
        {
            "displayName": word("return_all", lang),
            "name": "returnAll",
            "type": "boolean",
            "default": False,
            "displayOptions": {"show": shown},
            "description": word("return_all_help", lang),
        },
        {
            "displayName": word("limit", lang),
            "name": LIMIT,
            "type": "number",
            "typeOptions": {"minValue": 1, **most},
            "default": USUAL_LIMIT,
            "displayOptions": {"show": {**shown, "returnAll": [False]}},
            "description": word("limit_help", lang),
        },
    ]


def _name(option: dict[str, Any]) -> str:
    return str(option["name"]).lower()
