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
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.fields import Parameter
from connector.export.n8n.forms import form_of, notice
from connector.export.n8n.wording import word
from connector.export.node.contents import in_order
from connector.export.node.costs import run_costs
from connector.export.shape import ExportOptions

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
    found: dict[str, list[Action]] = {}
    for action in in_order(actions):
        found.setdefault(noun_of(action).en.lower(), []).append(action)
    return [Resource(noun_of(held[0]), tuple(held)) for held in found.values()]


def noun_of(action: Action) -> Text:
    """What an action is about; its area where its manifest does not say."""
    return action.noun or template(f"area_{action.area}")


def chooser(found: Sequence[Resource], lang: str) -> Parameter:
    """The choice of a resource."""
    options = [{"name": wording.title(one.noun, lang), "value": one.value} for one in found]
    usual = min((one for one in found if one.area == found[0].area), key=lambda one: one.noun.en)
    return _chooser("resource", options, {}, lang, usual.value)


def operations(resource: Resource, options: ExportOptions, dropdowns: Dropdowns) -> list[Parameter]:
    """The operations of one resource, each with its form."""
    lang = options.lang
    names = operation_names(resource, lang)
    choices = [_choice(action, names[action.id], lang) for action in resource.actions]
    parameters = [_chooser("operation", choices, {"resource": [resource.value]}, lang)]
    for action in resource.actions:
        shown = {"operation": [action.id]}
        left_out = frozenset({LIMIT}) if action.is_list else frozenset[str]()
        parameters += _notices(action, shown, options)
        parameters += form_of(action, shown, options, dropdowns, left_out)
        parameters += [_again(shown, lang)] if action.repeat == "duplicates" else []
        parameters += _paging(action, shown, lang) if action.is_list else []
    return parameters


def _choice(action: Action, name: str, lang: str) -> dict[str, str]:
    return {
        "name": name,
        "value": action.id,
        "description": wording.description(action.description, lang),
        "action": wording.sentence(action.title, lang),
    }


def _chooser(
    name: str, options: Sequence[dict[str, str]], shown: dict[str, Any], lang: str, default: str = ""
) -> Parameter:
    ordered = sorted(options, key=lambda one: one["name"].lower())
    return {
        "displayName": word(f"n8n_{name}", lang),
        "name": name,
        "type": "options",
        "noDataExpression": True,
        **({"displayOptions": {"show": shown}} if shown else {}),
        "options": ordered,
        "default": default or ordered[0]["value"],
    }


def operation_names(resource: Resource, lang: str) -> dict[str, str]:
    """What the operations are called beside their resource; by their whole titles where that would not tell apart."""
    short = {action.id: _short_name(action, resource.noun, lang) for action in resource.actions}
    times = Counter(short.values())
    whole = {action.id: wording.title(action.title, lang) for action in resource.actions}
    return {id: name if times[name] == 1 else whole[id] for id, name in short.items()}


def _short_name(action: Action, noun: Text, lang: str) -> str:
    if not action.writes:
        return word("n8n_get_many" if action.is_list else "n8n_get", lang)
    title = action.title.in_(lang)
    rest = " ".join(re.sub(re.escape(noun.in_(lang)), "", title, flags=re.IGNORECASE).split())
    return wording.title(Text(rest or title, rest or title), lang)


def _notices(action: Action, shown: dict[str, Any], options: ExportOptions) -> list[Parameter]:
    """What it costs; and, where no host guards against it, what a repeat does."""
    cost = run_costs(action, "n8n_costs").in_(options.lang)
    found = [notice("costNotice", cost, shown)] if cost else []
    if action.repeat == "duplicates" and options.via == "service":
        found.append(notice("repeatNotice", word("n8n_repeats", options.lang), shown))
    return found


def _again(shown: dict[str, Any], lang: str) -> Parameter:
    """The word of a person that an equal write is meant once more."""
    return {
        "displayName": wording.title(template("package_again"), lang),
        "name": "again",
        "type": "boolean",
        "default": False,
        "displayOptions": {"show": shown},
        "description": wording.description(template("package_again_help"), lang),
    }


def _paging(action: Action, shown: dict[str, Any], lang: str) -> list[Parameter]:
    own = next((field for field in action.inputs if field.name == LIMIT), None)
    most = {"maxValue": int(own.max)} if own and own.max else {}
    return [
        {
            "displayName": word("n8n_return_all", lang),
            "name": "returnAll",
            "type": "boolean",
            "default": False,
            "displayOptions": {"show": shown},
            "description": word("n8n_return_all_help", lang),
        },
        {
            "displayName": word("n8n_limit", lang),
            "name": LIMIT,
            "type": "number",
            "typeOptions": {"minValue": 1, **most},
            "default": USUAL_LIMIT,
            "displayOptions": {"show": {**shown, "returnAll": [False]}},
            "description": word("n8n_limit_help", lang),
        },
    ]
