"""Describes actions and lookups as MCP tools. Pure."""

from __future__ import annotations

from typing import Any

from mcp_types import Tool, ToolAnnotations

from connector.core.manifest.fields import Field
from connector.core.manifest.input_schema import field_schema, object_schema
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.runtime.connector import Connector

LIST_OPTIONS = "list_options"
CONFIRM, KEY, AGAIN = "confirm", "key", "again"
TOOL_ARGUMENTS = frozenset({CONFIRM, KEY, AGAIN})
"""Arguments of the tool that are no inputs of the action."""
MAX_KEY_LENGTH = 200
SLOW_SECONDS = 5.0


def all_tools(connector: Connector, lang: str) -> list[Tool]:
    """Return a tool per action, and one for lookups."""
    return [*(action_tool(action, lang) for action in connector.actions.values()), options_tool(connector, lang)]


def requires_confirmation(action: Action) -> bool:
    """Whether the action needs confirmation: every write that a repeat would duplicate."""
    return action.writes and action.repeat == "duplicates"


def action_tool(action: Action, lang: str) -> Tool:
    """Return the tool of an action."""
    return Tool(
        name=action.id,
        title=action.title.in_(lang),
        description=_description(action, lang),
        input_schema=_inputs(action, lang),
        annotations=ToolAnnotations(
            title=action.title.in_(lang),
            read_only_hint=not action.writes,
            destructive_hint=action.effect == "update",  # a create destroys nothing
            idempotent_hint=action.repeat != "duplicates",
            open_world_hint=True,
        ),
    )


def options_tool(connector: Connector, lang: str) -> Tool:
    """Return the tool that lists options: MCP has no completion for tool arguments."""
    lookups = connector.lookups
    needs = "; ".join(
        f"{lookup.id}: {', '.join(field.name for field in lookup.inputs)}"
        for lookup in lookups.values()
        if lookup.inputs
    )
    return Tool(
        name=LIST_OPTIONS,
        title=say("mcp_options_title").in_(lang),
        description=say("mcp_options").in_(lang),
        input_schema={
            "type": "object",
            "properties": {
                "lookup": {
                    "type": "string",
                    "enum": list(lookups),
                    "description": say("mcp_options_lookup").in_(lang),
                },
                "inputs": {
                    "type": "object",
                    "additionalProperties": True,
                    "description": say("mcp_options_inputs", needs=needs).in_(lang),
                },
                "search": {"type": "string", "description": say("mcp_options_search").in_(lang)},
            },
            "required": ["lookup"],
            "additionalProperties": False,
        },
        annotations=ToolAnnotations(
            title=say("mcp_options_title").in_(lang),
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=True,
        ),
    )


def _description(action: Action, lang: str) -> str:
    cost = say("mcp_cost", credits=action.cost.credits) if action.cost.credits else say("mcp_free")
    parts = [action.description.in_(lang), cost.in_(lang)]
    if action.cost.note:
        parts.append(action.cost.note.in_(lang))
    if action.typical >= SLOW_SECONDS:
        parts.append(say("mcp_takes", seconds=f"{action.typical:g}").in_(lang))
    return " ".join(parts)


def _inputs(action: Action, lang: str) -> dict[str, Any]:
    schema = object_schema(action.inputs, lang)
    properties = {field.name: _describe_field(field, lang) for field in action.inputs}
    if action.writes:
        properties[KEY] = {
            "type": "string",
            "maxLength": MAX_KEY_LENGTH,
            "description": say("mcp_key").in_(lang),
        }
    if requires_confirmation(action):
        properties[CONFIRM] = {"type": "boolean", "default": False, "description": say("mcp_confirm").in_(lang)}
        properties[AGAIN] = {"type": "boolean", "default": False, "description": say("mcp_again").in_(lang)}
    return {**schema, "properties": properties}


def _describe_field(field: Field, lang: str) -> dict[str, Any]:
    schema = field_schema(field, lang)
    if field.lookup is None:
        return schema
    inputs = {
        name: value if isinstance(value, str) else str(value).lower() for name, value in field.lookup.with_.items()
    }
    inputs_text = ", ".join(f"{name}: {value}" for name, value in inputs.items())
    id = field.lookup.id
    hint = say("mcp_lookup_with", id=id, inputs=inputs_text) if inputs else say("mcp_lookup", id=id)
    return {**schema, "description": f"{schema['description']} {hint.in_(lang)}"}
