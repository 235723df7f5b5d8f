"""Runs tool calls: validates arguments, requires confirmation, and reports progress."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from mcp_types import CallToolResult

from connector.core.errors import InputError, KontorError
from connector.core.manifest.model import Action
from connector.core.messages import quote, say
from connector.interfaces.mcp.results import error_result, success_result
from connector.interfaces.mcp.run_tools import RUN_TOOLS, agent_remedy, call_run_tool
from connector.interfaces.mcp.tools import AGAIN, CONFIRM, KEY, LIST_OPTIONS, TOOL_ARGUMENTS, requires_confirmation
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession

OpenSession = Callable[[Any], AbstractAsyncContextManager[AsyncSession]]
"""Opens the session for a request: a Starlette request, or None on stdio."""
Progress = Callable[[float, float | None, str | None], Awaitable[None]]
PROGRESS_SECONDS = 2.0


class ToolCalls:
    """Runs the tool calls of one server."""

    def __init__(self, connector: Connector, open_session: OpenSession, lang: str) -> None:
        self._connector = connector
        self._open = open_session
        self._lang = lang

    async def call(self, name: str, arguments: Mapping[str, Any], request: Any, progress: Progress) -> CallToolResult:
        """Run a tool; all errors become results, because clients do not show exceptions."""
        secret = ""
        try:
            if name != LIST_OPTIONS and name not in RUN_TOOLS and name not in self._connector.actions:
                raise InputError(say("mcp_tool_unknown", name=name), field="name")
            async with self._open(request) as session:
                secret = session.credential.api_key
                if name == LIST_OPTIONS:
                    return await self._options(session, arguments)
                if name in RUN_TOOLS:
                    return await call_run_tool(session, name, arguments, self._lang, secret)
                return await self._run_action(session, self._connector.action(name), arguments, progress)
        except KontorError as error:
            error.remedy = agent_remedy(error) or error.remedy
            return error_result(error, self._lang, secret)
        except Exception as error:  # a bug: report it without the arguments
            message = say("unexpected", why=quote(type(error).__name__))
            internal_error = KontorError(message, remedy=say("unexpected_remedy", place="mcp"), outcome="unknown")
            return error_result(internal_error, self._lang, secret)

    async def _options(self, session: AsyncSession, arguments: Mapping[str, Any]) -> CallToolResult:
        unknown = [name for name in arguments if name not in {"lookup", "inputs", "search"}]
        inputs, search = arguments.get("inputs") or {}, arguments.get("search")
        if unknown:
            raise InputError(say("unknown_input", field=unknown[0]), field=unknown[0])
        if not isinstance(inputs, Mapping):
            raise InputError(say("inputs_not_an_object"), field="inputs")
        if search is not None and not isinstance(search, str):
            raise InputError(say("not_text"), field="search")
        options = await session.options(str(arguments.get("lookup", "")), inputs, search)
        return success_result(options.as_dict(), session.credential.api_key)

    async def _run_action(
        self, session: AsyncSession, action: Action, arguments: Mapping[str, Any], progress: Progress
    ) -> CallToolResult:
        own_arguments = TOOL_ARGUMENTS if requires_confirmation(action) else {KEY} if action.writes else set()
        inputs = {name: value for name, value in arguments.items() if name not in own_arguments}
        key = arguments.get(KEY) if KEY in own_arguments else None
        confirmed = arguments.get(CONFIRM, False)
        again = (arguments.get(AGAIN) or False) if AGAIN in own_arguments else False
        if not isinstance(again, bool):
            raise InputError(say("mcp_flag_wrong", name=AGAIN), field=AGAIN)
        if CONFIRM in own_arguments and confirmed is not True:
            if confirmed not in (False, None):
                raise InputError(say("mcp_flag_wrong", name=CONFIRM), field=CONFIRM)
            request = (await session.invoke(action.id, inputs, key=key, dry_run=True)).output
            if request["method"] != "GET":
                not_confirmed = InputError(
                    say("mcp_not_confirmed"), remedy=say("mcp_not_confirmed_remedy"), field=CONFIRM
                )
                return error_result(not_confirmed, self._lang, session.credential.api_key, request=request)
        progress_task = asyncio.create_task(self._report_progress(action, progress))
        try:
            result = await session.invoke(action.id, inputs, key=key, again=again)
        finally:
            progress_task.cancel()
        return success_result(result.as_dict(), session.credential.api_key)

    async def _report_progress(self, action: Action, progress: Progress) -> None:
        """Report the elapsed and the typical duration periodically."""
        started = time.monotonic()
        with suppress(Exception):  # a disconnected client must not fail the call
            while True:
                await asyncio.sleep(PROGRESS_SECONDS)
                seconds = time.monotonic() - started
                text = say("mcp_working", title=action.title, seconds=int(seconds)).in_(self._lang)
                await progress(seconds, action.typical, text)
