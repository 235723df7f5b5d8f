"""The tools for runs whose outcome is unknown: list them, and settle one by what a person found out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, Tool, ToolAnnotations

from connector.core.errors import InputError, KontorError, LikelyRepeat, OutcomeUnknown
from connector.core.messages import Text, say
from connector.interfaces.mcp.results import error_result, success_result
from connector.interfaces.mcp.tools import CONFIRM
from connector.runtime.session import AsyncSession
from connector.store.runs import Run

LIST_RUNS, SETTLE_RUN = "list_unknown_runs", "settle_run"
RUN_TOOLS = frozenset({LIST_RUNS, SETTLE_RUN})
SETTLE_ARGUMENTS = ("run", "happened", "note", CONFIRM)
MAX_RUNS = 100


def run_tools(lang: str) -> list[Tool]:
    """Return both tools."""
    return [
        _tool(LIST_RUNS, lang, {}, [], read_only=True),
        _tool(
            SETTLE_RUN,
            lang,
            {
                "run": {"type": "string", "description": say("mcp_settle_which").in_(lang)},
                "happened": {"type": "boolean", "description": say("mcp_settle_happened").in_(lang)},
                "note": {"type": "string", "description": say("mcp_settle_note").in_(lang)},
                CONFIRM: {"type": "boolean", "default": False, "description": say("mcp_settle_confirm").in_(lang)},
            },
            ["run", "happened"],
            read_only=False,
        ),
    ]


async def call_run_tool(
    session: AsyncSession, name: str, arguments: Mapping[str, Any], lang: str, secret: str
) -> CallToolResult:
    """Run one of the two tools."""
    known = SETTLE_ARGUMENTS if name == SETTLE_RUN else ()
    unknown = [argument for argument in arguments if argument not in known]
    if unknown:
        raise InputError(say("unknown_input", field=unknown[0]), field=unknown[0])
    if name == LIST_RUNS:
        found = await session.runs(state="unknown", limit=MAX_RUNS)
        return success_result({"ok": True, "runs": [_shown(run) for run in found]}, secret)
    return await _settle(session, arguments, lang, secret)


def agent_remedy(error: KontorError) -> Text | None:
    """Return the remedy that an agent can follow, where the usual one names a command."""
    details = error.details if isinstance(error.details, Mapping) else {}
    run, key = details.get("run"), details.get("key")
    if isinstance(error, OutcomeUnknown) and run and error.remedy != say("repeat_is_harmless"):
        return say("mcp_unknown_look" if error.retryable else "mcp_unknown", run=run, key=key)
    if isinstance(error, LikelyRepeat):
        return say("mcp_unknown", run=run) if error.reason == "equals_unknown" else say("mcp_likely_repeat")
    return None


async def _settle(session: AsyncSession, arguments: Mapping[str, Any], lang: str, secret: str) -> CallToolResult:
    run, happened, note = arguments.get("run"), arguments.get("happened"), arguments.get("note") or ""
    for name, value, kind in (("run", run, str), ("note", note, str)):
        if not isinstance(value, kind):
            raise InputError(say("not_text"), field=name)
    for name, value in (("happened", happened), (CONFIRM, arguments.get(CONFIRM, False))):
        if not isinstance(value, bool):
            raise InputError(say("mcp_flag_wrong", name=name), field=name)
    try:
        if not arguments.get(CONFIRM):
            shown = _shown(await session.run(str(run)))
            message = say("mcp_settle_not_confirmed")
            remedy = say("mcp_settle_yes" if happened else "mcp_settle_no")
            return error_result(InputError(message, remedy=remedy, field=CONFIRM), lang, secret, run=shown)
        settled = await session.settle(str(run), bool(happened), note)
    except KontorError as error:
        if error.field == "id" or error.kind == "not_found":
            error.remedy, error.field = say("mcp_settle_list"), "run"
        raise
    return success_result({"ok": True, "run": _shown(settled)}, secret)


def _shown(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "state": run.state,
        "action": run.action,
        "inputs": run.inputs,
        "key": run.key,
        "made_at": run.made_at,
    }


def _tool(name: str, lang: str, properties: dict[str, Any], required: list[str], *, read_only: bool) -> Tool:
    return Tool(
        name=name,
        title=say(f"mcp_{name}_title").in_(lang),
        description=say(f"mcp_{name}").in_(lang),
        input_schema={
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        annotations=ToolAnnotations(
            title=say(f"mcp_{name}_title").in_(lang),
            read_only_hint=read_only,
            destructive_hint=not read_only,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
