"""The tools for runs whose outcome is unknown: list them, and settle one by what a person found out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import Tool, ToolAnnotations

from connector.core.callers import Actor
from connector.core.errors import InputError, KontorError
from connector.core.messages import Text, say
from connector.interfaces.mcp.answer_pages import PAGE
from connector.interfaces.mcp.answer_schema import rows_schema, run_schema
from connector.interfaces.mcp.text_of_others import marked
from connector.interfaces.mcp.tools import MARK
from connector.runtime.session import AsyncSession
from connector.store.runs.runs import Run

LIST_RUNS, SETTLE_RUN = "list_unknown_runs", "settle_run"
MAX_RUNS = 100
TEXTS, OBJECTS = ("run", "state", "action", "key", "made_at"), ("inputs",)
"""What is shown of a run."""
SCHEMAS = {LIST_RUNS: rows_schema("runs", TEXTS, OBJECTS), SETTLE_RUN: run_schema(TEXTS, OBJECTS)}


def run_tools(lang: str, *, read_only: bool = False) -> list[Tool]:
    """Return both tools; with `read_only` only the list."""
    listing = _tool(LIST_RUNS, lang, {PAGE: MARK}, [], read_only=True)
    if read_only:
        return [listing]
    properties = {
        "run": {"type": "string", "description": say("mcp_settle_which").in_(lang)},
        "happened": {"type": "boolean", "description": say("mcp_settle_happened").in_(lang)},
        "note": {"type": "string", "description": say("mcp_settle_note").in_(lang)},
    }
    return [listing, _tool(SETTLE_RUN, lang, properties, ["run", "happened"], read_only=False)]


async def list_runs(session: AsyncSession, arguments: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """List the runs whose outcome is unknown."""
    _refuse_unknown(arguments, ())
    found = await session.runs(state="unknown", limit=MAX_RUNS)
    return marked({"ok": True, "runs": [_shown(run) for run in found]}, ["runs[].inputs"] if found else (), lang)


class SettleCall:
    """A call of `settle_run`: what the person found out about a run."""

    def __init__(self, arguments: Mapping[str, Any], actor: Actor | None) -> None:
        _refuse_unknown(arguments, ("run", "happened", "note"))
        run, happened, note = arguments.get("run"), arguments.get("happened"), arguments.get("note") or ""
        for name, value in (("run", run), ("note", note)):
            if not isinstance(value, str):
                raise InputError(say("not_text"), field=name)
        if not isinstance(happened, bool):
            raise InputError(say("mcp_flag_wrong", name="happened"), field="happened")
        self._run, self._happened, self._note, self._actor = str(run), happened, str(note), actor

    @property
    def question(self) -> Text:
        """What the person is asked."""
        return say("mcp_settle_yes" if self._happened else "mcp_settle_no")

    async def shown(self, session: AsyncSession) -> dict[str, Any]:
        """Return the run, as the person sees it."""
        try:
            return _shown(await session.find_run(self._run))
        except KontorError as error:
            raise _about_run(error) from None

    async def settle(self, session: AsyncSession) -> dict[str, Any]:
        """Record what the person said."""
        try:
            settled = await session.settle(self._run, self._happened, self._note, self._actor)
        except KontorError as error:
            raise _about_run(error) from None
        return {"ok": True, "run": _shown(settled)}


def _refuse_unknown(arguments: Mapping[str, Any], known: tuple[str, ...]) -> None:
    unknown = [name for name in arguments if name not in known]
    if unknown:
        raise InputError(say("unknown_input", field=unknown[0]), field=unknown[0])


def _about_run(error: KontorError) -> KontorError:
    if error.field == "id" or error.kind == "not_found":
        error.field = "run"
    return error


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
        input_schema={"type": "object", "properties": properties, **({"required": required} if required else {})},
        output_schema=SCHEMAS[name],
        annotations=ToolAnnotations(
            read_only_hint=read_only,
            destructive_hint=not read_only,
            idempotent_hint=None if read_only else True,
            open_world_hint=False,
        ),
    )
