"""Runs tool calls: validates arguments, has writes confirmed by the person, and reports progress."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult

from connector.core.callers import ACTOR, Actor, Invoker, Role, check_role, current_source, reset_source, set_source
from connector.core.errors import InputError, KontorError, RightMissing
from connector.core.manifest.model import Action
from connector.core.messages import quote, say
from connector.core.service.credential import redact
from connector.interfaces.mcp.answer_pages import PAGE, AnswerPages, Page
from connector.interfaces.mcp.answer_schema import answer_schema
from connector.interfaces.mcp.confirmation import AskFirst, Confirmation, Unconfirmed
from connector.interfaces.mcp.results import error_result, success_result
from connector.interfaces.mcp.run_tools import LIST_RUNS, SCHEMAS, SETTLE_RUN, SettleCall, list_runs
from connector.interfaces.mcp.text_of_others import marked, places_in
from connector.interfaces.mcp.tools import AGAIN, KEY, LIST_OPTIONS, OPTIONS_SCHEMA
from connector.interfaces.question import about_run, of_request
from connector.runtime.connector import Connector
from connector.runtime.requests.rights import role_to_run
from connector.runtime.session import AsyncSession

OpenSession = Callable[[Any], AbstractAsyncContextManager[AsyncSession]]
"""Opens the session for a request: a Starlette request, or None on stdio."""
Progress = Callable[[float, float | None, str | None], Awaitable[None]]
ROLE_TO_CALL: Mapping[str, Role] = {LIST_OPTIONS: "operator", LIST_RUNS: "viewer", SETTLE_RUN: "operator"}
"""The role that each tool needs which runs no action."""
OTHER_SCHEMAS = {LIST_OPTIONS: OPTIONS_SCHEMA, **SCHEMAS}
PROGRESS_SECONDS = 2.0
MAX_NAME = 100
"""Characters of a tool's name in the audit log; a client may send any."""


class ToolCalls:
    """Runs the tool calls of one server."""

    def __init__(self, connector: Connector, open_session: OpenSession, lang: str, *, read_only: bool = False) -> None:
        self._connector = connector
        self._open = open_session
        self._lang = lang
        self._read_only = read_only
        self._pages = AnswerPages()

    async def call(
        self, name: str, arguments: Mapping[str, Any], request: Any, progress: Progress, confirmation: Confirmation
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool; all errors become results, because clients do not show exceptions."""
        secrets: list[str] = []
        called = replace(current_source(), face="mcp", actor=_actor_of(request), where=f"tool {name}"[:MAX_NAME])
        token = set_source(called)
        try:
            return await self._call(name, arguments, request, progress, confirmation, secrets)
        except AskFirst as question:
            return question.result
        except KontorError as error:
            return self._refused(error, secrets)
        except Exception as error:  # a bug: report it without the arguments
            message = say("unexpected", why=quote(type(error).__name__))
            internal_error = KontorError(message, remedy=say("unexpected_remedy", place="mcp"), outcome="unknown")
            return error_result(internal_error, self._lang, *secrets)
        finally:
            reset_source(token)

    def _refused(self, error: KontorError, secrets: list[str], **more: Any) -> CallToolResult:
        """Return an error as a result; the audit log tells of a missing right."""
        self._connector.shared.refusals.refused(current_source(), error)
        return error_result(error, self._lang, *secrets, **more)

    async def _call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        request: Any,
        progress: Progress,
        confirmation: Confirmation,
        secrets: list[str],
    ) -> CallToolResult:
        if not self._is_offered(name):
            raise InputError(say("mcp_tool_unknown", name=name), field="name")
        action, actor = self._connector.actions.get(name), _actor_of(request)
        check_role(actor, ROLE_TO_CALL[name] if action is None else role_to_run(action))
        if name == SETTLE_RUN:
            settling = SettleCall(arguments, actor)
            async with self._open(request) as session:
                secrets[:] = [session.credential.api_key]
                shown = await settling.shown(session)
            try:
                acted = self._connector.actions.get(str(shown["action"]))
                told = about_run(shown, acted.title if acted is not None else None)
                await confirmation.ask(settling.question, told.text(confirmation.lang))
            except Unconfirmed as refusal:
                return self._refused(_not_confirmed(refusal, SETTLE_RUN), secrets, run=shown)
            async with self._open(request) as session:
                settled = marked(await settling.settle(session), ["run.inputs"], self._lang)
                return self._shown(name, Page(redact(settled, *secrets)))
        if PAGE in arguments and not _has_page_input(action):
            return await self._following_page(name, arguments, request, actor, secrets)
        if action is not None and action.writes:
            return await self._write(action, arguments, request, actor, progress, confirmation, secrets)
        async with self._open(request) as session:
            secrets[:] = [session.credential.api_key]
            if action is not None:
                return await self._invoke(session, action, arguments, progress, dict(arguments), _invoker(actor))
            if name == LIST_OPTIONS:
                document = await self._options(session, arguments)
            else:
                document = await list_runs(session, arguments, self._lang)
            return self._first_page(session, actor, name, arguments, document)

    def _is_offered(self, name: str) -> bool:
        if name in {LIST_OPTIONS, LIST_RUNS}:
            return True
        if name == SETTLE_RUN:
            return not self._read_only
        action = self._connector.actions.get(name)
        return action is not None and not (self._read_only and action.writes)

    async def _write(
        self,
        action: Action,
        arguments: Mapping[str, Any],
        request: Any,
        actor: Actor | None,
        progress: Progress,
        confirmation: Confirmation,
        secrets: list[str],
    ) -> CallToolResult:
        """Show the person what would be sent, and send it when they confirm. No slot is held while they think.

        Where the client cannot ask, the policy decides: without a word on this action, it waits for approval.
        """
        invoker = _invoker(actor)
        inputs = {name: value for name, value in arguments.items() if name not in {KEY, AGAIN}}
        key, again = arguments.get(KEY), arguments.get(AGAIN) or False
        if not isinstance(again, bool):
            raise InputError(say("mcp_flag_wrong", name=AGAIN), field=AGAIN)
        async with self._open(request) as session:
            secrets[:] = [session.credential.api_key]
            plan = await session.invoke(action.id, inputs, key=key, dry_run=True, invoker=invoker)
            planned = plan.output
            told = of_request(action, planned, session.credential.wire, actor).warning(plan.warnings)
        if planned["method"] != "GET":
            try:
                await confirmation.ask(say("mcp_question", title=action.title), told.text(confirmation.lang))
                invoker = replace(invoker, confirmed=True)
            except Unconfirmed as refusal:
                if refusal.asked:
                    return self._refused(_declined(), secrets, request=planned)
        try:
            async with self._open(request) as session:
                return await self._invoke(session, action, arguments, progress, inputs, invoker, key=key, again=again)
        except RightMissing as refusal:
            return self._refused(refusal, secrets, request=planned)

    async def _options(self, session: AsyncSession, arguments: Mapping[str, Any]) -> dict[str, Any]:
        unknown = [name for name in arguments if name not in {"lookup", "inputs", "search", "limit", "after"}]
        lookup, inputs, search = arguments.get("lookup", ""), arguments.get("inputs") or {}, arguments.get("search")
        limit, after = arguments.get("limit"), arguments.get("after")
        if unknown:
            raise InputError(say("unknown_input", field=unknown[0]), field=unknown[0])
        if not isinstance(inputs, Mapping):
            raise InputError(say("inputs_not_an_object"), field="inputs")
        for name, value in (("lookup", lookup), ("search", search or ""), ("after", after or "")):
            if not isinstance(value, str):
                raise InputError(say("not_text"), field=name)
        found = (await session.options(lookup, inputs, search, self._lang, limit, after)).as_dict()
        is_own = self._connector.lookup(lookup).request is None
        return found if is_own else marked(found, ["options[].label", "options[].hint"], self._lang)

    async def _invoke(
        self,
        session: AsyncSession,
        action: Action,
        arguments: Mapping[str, Any],
        progress: Progress,
        inputs: dict[str, Any],
        invoker: Invoker,
        **more: Any,
    ) -> CallToolResult:
        progress_task = asyncio.create_task(self._report_progress(action, progress))
        try:
            result = await session.invoke(action.id, inputs, invoker=invoker, **more)
        finally:
            progress_task.cancel()
        places = places_in(result.output, action.resource, self._connector.library)
        document = marked(result.as_dict(self._lang), places, self._lang)
        if _has_page_input(action):
            return self._shown(action.id, Page(redact(document, session.credential.api_key)))
        return self._first_page(session, invoker.actor, action.id, arguments, document)

    def _first_page(
        self,
        session: AsyncSession,
        actor: Actor | None,
        name: str,
        arguments: Mapping[str, Any],
        document: dict[str, Any],
    ) -> CallToolResult:
        """Return an answer, or its first page if it is long."""
        secret, caller = session.credential.api_key, (actor, session.credential.fingerprint)
        return self._shown(name, self._pages.first(caller, name, arguments, redact(document, secret)))

    async def _following_page(
        self, name: str, arguments: Mapping[str, Any], request: Any, actor: Actor | None, secrets: list[str]
    ) -> CallToolResult:
        """Return the next page of an earlier answer; nothing is sent."""
        async with self._open(request) as session:
            secrets[:] = [session.credential.api_key]
            caller = (actor, session.credential.fingerprint)
        return self._shown(name, self._pages.following(caller, name, arguments))

    def _shown(self, name: str, page: Page) -> CallToolResult:
        action = self._connector.actions.get(name)
        schema = OTHER_SCHEMAS[name] if action is None else answer_schema(action, self._connector.library)
        return success_result(page.document, schema, self._lang, *([page.note.in_(self._lang)] if page.note else []))

    async def _report_progress(self, action: Action, progress: Progress) -> None:
        """Report the elapsed and the typical duration periodically."""
        started = time.monotonic()
        with suppress(Exception):  # a disconnected client must not fail the call
            while True:
                await asyncio.sleep(PROGRESS_SECONDS)
                seconds = time.monotonic() - started
                text = say("mcp_working", title=action.title, seconds=int(seconds)).in_(self._lang)
                await progress(seconds, action.typical, text)


def _has_page_input(action: Action | None) -> bool:
    """Whether an action has an input of its own that is called like the mark of a page."""
    return action is not None and any(field.name == PAGE for field in action.inputs)


def _actor_of(request: Any) -> Actor | None:
    """Return who calls over HTTP; None on stdio, where it is the owner of the machine."""
    actor: Actor | None = request.scope.get(ACTOR) if request is not None else None
    return actor


def _invoker(actor: Actor | None) -> Invoker:
    return Invoker("mcp", current_source().origin, actor, agent=True)


def _not_confirmed(refusal: Unconfirmed, what: str) -> RightMissing:
    if refusal.asked:
        return _declined()
    message, remedy = say("mcp_not_confirmed"), say("mcp_not_confirmed_remedy", what=what)
    return RightMissing(message, remedy=remedy, outcome="not_sent", reason="not_confirmed")


def _declined() -> RightMissing:
    message, remedy = say("mcp_declined"), say("mcp_declined_remedy")
    return RightMissing(message, remedy=remedy, outcome="not_sent", reason="not_confirmed")
