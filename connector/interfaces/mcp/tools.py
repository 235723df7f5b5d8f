"""Describes actions and lookups as MCP tools. Pure."""

from __future__ import annotations

from typing import Any

from mcp_types import Tool, ToolAnnotations

from connector.core.data.localize import credits, in_both
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.interfaces.mcp.answer_pages import PAGE
from connector.interfaces.mcp.answer_schema import answer_schema, rows_schema
from connector.interfaces.mcp.short_schema import short_object
from connector.runtime.connector import Connector

LIST_OPTIONS = "list_options"
KEY, AGAIN = "key", "again"
SLOW_SECONDS = 5.0
MARK = {"type": "string"}
"""The schema of `page`; the server's instructions say what it is."""
OPTIONS_SCHEMA = rows_schema("options", ("value", "label", "hint"))


def all_tools(connector: Connector, lang: str, *, read_only: bool = False) -> list[Tool]:
    """Return a tool per action, and one for lookups; with `read_only` no action that may change something."""
    shown = [action for action in connector.actions.values() if not (read_only and action.writes)]
    return [*(action_tool(action, connector.library, lang) for action in shown), options_tool(connector, lang)]


def may_repeat(action: Action) -> bool:
    """Whether a repeat of the action may be meant: of every write that a repeat would duplicate."""
    return action.writes and action.repeat == "duplicates"


def action_tool(action: Action, library: Library, lang: str) -> Tool:
    """Return the tool of an action."""
    return Tool(
        name=action.id,
        title=action.title.in_(lang),
        description=_description(action, lang),
        input_schema=_inputs(action, lang),
        output_schema=answer_schema(action, library),
        annotations=ToolAnnotations(
            read_only_hint=not action.writes,
            # A new booking only adds; money that has left, or an address that is replaced, does not come back.
            destructive_hint=action.effect == "update" or action.moves is not None,
            idempotent_hint=action.repeat != "duplicates" if action.writes else None,  # of reads it says nothing
            open_world_hint=action.request is not None or action.code,
        ),
    )


def options_tool(connector: Connector, lang: str) -> Tool:
    """Return the tool that lists options: MCP has no completion for tool arguments."""
    lookups = connector.lookups
    needs = "; ".join(
        f"{lookup.id}: {', '.join(names)}"
        for lookup in lookups.values()
        if (names := [field.name for field in lookup.inputs if field.required])
    )
    return Tool(
        name=LIST_OPTIONS,
        title=say("mcp_options_title").in_(lang),
        description=say("mcp_options").in_(lang),
        input_schema={
            "type": "object",
            "properties": {
                "lookup": {
                    "enum": list(lookups),
                    "description": say("mcp_options_lookup").in_(lang),
                },
                "inputs": {
                    "type": "object",
                    "description": say("mcp_options_inputs", needs=needs).in_(lang),
                },
                "search": {"type": "string", "description": say("mcp_options_search").in_(lang)},
                "limit": {"type": "integer"},
                "after": {"type": "string"},
                PAGE: MARK,
            },
            "required": ["lookup"],
        },
        output_schema=OPTIONS_SCHEMA,
        annotations=ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            open_world_hint=True,
        ),
    )


def _description(action: Action, lang: str) -> str:
    cost = say("mcp_cost", credits=in_both(credits, action.cost.credits)) if action.cost.credits else say("mcp_free")
    parts = [action.summary.in_(lang), cost.in_(lang)]
    if action.typical >= SLOW_SECONDS:
        parts.append(say("mcp_takes", seconds=f"{action.typical:g}").in_(lang))
    return " ".join(parts)


def _inputs(action: Action, lang: str) -> dict[str, Any]:
    schema = short_object(action.inputs, lang)
    properties = dict(schema["properties"])
    if action.writes:
        properties[KEY] = {"type": "string", "description": say("mcp_key").in_(lang)}
    if may_repeat(action):
        properties[AGAIN] = {"type": "boolean", "description": say("mcp_again").in_(lang)}
    if not action.writes or action.code:  # what a write answers is short
        properties[PAGE] = MARK
    # Unknown names are refused with their name; saying so here would cost every agent context.
    return {**schema, "properties": properties}
