"""What the piece offers, as data: its connection, its actions and its triggers."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Action, Trigger
from connector.core.manifest.output_fields import OutputField, one_sample, output_fields
from connector.core.messages import say
from connector.export.activepieces.properties import Properties
from connector.export.activepieces.translation import Translation
from connector.export.node.costs import run_costs
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector

HOUR, MINUTE = 3600, 60
OFTEN = 300
"""Seconds after which Activepieces asks by itself."""
LONGEST = 12
"""Hours between two polls."""
REPEATS = {"duplicates": "activepieces_ai_twice", "same_result": "activepieces_ai_same"}


def connection(translation: Translation, options: ExportOptions) -> dict[str, Any]:
    """The fields of a connection."""
    say_it, host = translation.english, options.via == "host"
    name = "host_url" if host else "base_url"
    address = {
        "kind": "ShortText",
        "displayName": say_it(say(f"export_{name}")),
        "description": say_it(say(f"export_{name}_help")),
        "required": True,
        "defaultValue": options.host_url if host else options.base_url,
    }
    secrets = ["host_token", "api_key"] if host else ["api_key"]
    props = {"base_url": address, **{one: _secret(one, translation) for one in secrets}}
    if not host:
        props["agents_may_pay"] = {
            "kind": "Checkbox",
            "displayName": say_it(say("n8n_agents_may_pay")),
            "description": say_it(say("activepieces_agents_may_pay_help")),
            "required": False,
            "defaultValue": False,
        }
    return {"displayName": "Kontor", "description": say_it(say(f"package_enter_{options.via}")), "props": props}


def _secret(name: str, translation: Translation) -> dict[str, Any]:
    return {
        "kind": "SecretText",
        "displayName": translation.english(say(f"export_{name}")),
        "description": translation.english(say(f"export_{name}_help")),
        "required": True,
    }


def action_spec(
    action: Action, connector: Connector, properties: Properties, translation: Translation
) -> dict[str, Any]:
    """An action, with what agents are told of it."""
    return {
        "name": action.id,
        "displayName": translation.english(action.title),
        "description": translation.english(action.summary),
        **({"once": True} if is_once(action) else {}),
        "aiMetadata": {"description": _for_agents(action), "idempotent": action.repeat != "duplicates"},
        "props": properties.of_action(action),
        "outputSchema": {"fields": _output(action, connector, translation)},
    }


def trigger_spec(
    trigger: Trigger, connector: Connector, properties: Properties, translation: Translation
) -> dict[str, Any]:
    """A trigger, with how often it is asked where it polls."""
    schedule = {"cron": _cron(trigger.usual_interval)} if trigger.source == "poll" else {}
    return {
        "name": trigger.id,
        "displayName": translation.english(trigger.title),
        "description": translation.english(trigger.summary),
        "source": trigger.source,
        **schedule,
        "aiMetadata": {"description": " ".join(trigger.description.en.split())},
        "props": properties.of_trigger(trigger),
        "sampleData": one_sample(trigger),
        "outputSchema": {"fields": _output(trigger, connector, translation)},
    }


def _for_agents(action: Action) -> str:
    """When to pick it, what it costs, and whether a repeat does it twice."""
    more = [say(REPEATS[action.repeat]).en] if action.repeat in REPEATS else []
    return " ".join([*action.description.en.split(), *run_costs(action).en.split(), *more])


def _cron(seconds: int) -> str:
    """How often a poll is asked for: every so many minutes, or hours."""
    if seconds < HOUR:
        return f"*/{max(seconds, OFTEN) // MINUTE} * * * *"
    return f"0 */{min(seconds // HOUR, LONGEST)} * * *"


def is_once(action: Action) -> bool:
    """Whether a repeat would do it twice."""
    return action.repeat == "duplicates"


def _output(manifest: Action | Trigger, connector: Connector, translation: Translation) -> list[dict[str, Any]]:
    fields = [_output_field(one, translation) for one in output_fields(manifest, connector.library)]
    if isinstance(manifest, Action) and manifest.is_list:
        return [{"key": "items", "listItems": fields}]
    return fields


def _output_field(field: OutputField, translation: Translation) -> dict[str, Any]:
    inner = [_output_field(one, translation) for one in field.fields]
    nested = {"listItems" if field.kind == "list" else "children": inner} if inner else {}
    return {"key": field.name, "label": " ".join(field.label.en.split()), **nested}
