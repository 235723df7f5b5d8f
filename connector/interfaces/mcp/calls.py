"""Carries out tool calls: checks what MCP does not, asks for confirmation, and reports progress on slow ones."""

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
from connector.interfaces.mcp.answers import answer, failure
from connector.interfaces.mcp.tools import CONFIRM, KEY, LIST_OPTIONS, OWN, asks_for_confirmation
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession

OpenSession = Callable[[Any], AbstractAsyncContextManager[AsyncSession]]
"""Gives the session for a request; what the request is depends on the transport, None on stdio."""
Progress = Callable[[float, float | None, str | None], Awaitable[None]]
BETWEEN_REPORTS = 2.0


class Calls:
    """Tool calls on one connector, each in the session that its request is entitled to."""

    def __init__(self, connector: Connector, open_session: OpenSession, lang: str) -> None:
        self._connector = connector
        self._open = open_session
        self._lang = lang

    async def call(self, name: str, arguments: Mapping[str, Any], request: Any, progress: Progress) -> CallToolResult:
        """Runs a tool. Whatever goes wrong is an answer, never an exception: those reach a client without words."""
        secret = ""
        try:
            if name != LIST_OPTIONS and name not in self._connector.actions:
                raise InputError(say("mcp_tool_unknown", name=name), field="name")
            async with self._open(request) as session:
                secret = session.credential.api_key
                if name == LIST_OPTIONS:
                    return await self._options(session, arguments)
                return await self._act(session, self._connector.action(name), arguments, progress)
        except KontorError as error:
            return failure(error, self._lang, secret)
        except Exception as error:  # a mistake of ours: told in words, without what it was called with
            told = say("unexpected", why=quote(type(error).__name__))
            broken = KontorError(told, remedy=say("unexpected_remedy", place="mcp"), outcome="unknown")
            return failure(broken, self._lang, secret)

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
        return answer(options.as_dict(), session.credential.api_key)

    async def _act(
        self, session: AsyncSession, action: Action, arguments: Mapping[str, Any], progress: Progress
    ) -> CallToolResult:
        offered = OWN if asks_for_confirmation(action) else {KEY} if action.writes else set()
        inputs = {name: value for name, value in arguments.items() if name not in offered}
        key = arguments.get(KEY) if KEY in offered else None
        confirmed = arguments.get(CONFIRM, False)
        if CONFIRM in offered and confirmed is not True:
            if confirmed not in (False, None):
                raise InputError(say("mcp_confirm_wrong"), field=CONFIRM)
            shown = (await session.invoke(action.id, inputs, key=key, dry_run=True)).output
            if shown["method"] != "GET":
                asked = InputError(say("mcp_not_confirmed"), remedy=say("mcp_not_confirmed_remedy"), field=CONFIRM)
                return failure(asked, self._lang, session.credential.api_key, request=shown)
        told = asyncio.create_task(self._tell(action, progress))
        try:
            result = await session.invoke(action.id, inputs, key=key)
        finally:
            told.cancel()
        return answer(result.as_dict(), session.credential.api_key)

    async def _tell(self, action: Action, progress: Progress) -> None:
        """Says from time to time how long it has been, against how long it usually takes."""
        started = time.monotonic()
        with suppress(Exception):  # a client that went away must not fail the call
            while True:
                await asyncio.sleep(BETWEEN_REPORTS)
                seconds = time.monotonic() - started
                said = say("mcp_working", title=action.title, seconds=int(seconds)).in_(self._lang)
                await progress(seconds, action.typical, said)
