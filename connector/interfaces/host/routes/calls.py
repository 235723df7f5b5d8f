"""Routes for stateless calls: run an action, list options, test a credential; the API key is not stored."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.callers import Intent, Invoker, current_source
from connector.core.errors import KontorError, RightMissing
from connector.core.manifest.model import Action
from connector.interfaces.host.callers import Caller
from connector.interfaces.host.endpoint import NO_STORE, actor_of, invoker_of, route
from connector.interfaces.host.in_flight import current_language
from connector.interfaces.host.responses import OptionsCache, json_response
from connector.interfaces.host.routes.request_parsing import idempotency_key, read_object, read_query
from connector.interfaces.host.services import HostServices
from connector.operations import calls
from connector.operations.catalog import find_manifest
from connector.runtime.requests import rights
from connector.runtime.result import Result

RUN_FIELDS = {
    "inputs": dict,
    "key": str,
    "dry_run": bool,
    "again": bool,
    "guarded": bool,
    "agent": bool,
    "callback_url": str,
}
LOOKUP_FIELDS = {"inputs": dict, "search": str, "limit": int, "after": str}
Invocation = tuple[str, dict[str, Any], Intent]
"""Action id, inputs, and what the caller means."""


class CallRoutes:
    """Runs actions and lookups with the caller's API key."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._connector = services.state.connector
        self._max_body = services.state.settings.max_body
        self._encoded_options = OptionsCache()

    def routes(self) -> list[Route]:
        """Return the routes, the most used first: Starlette matches them in order."""
        return [
            route(calls.list_options, self.options),
            route(calls.run_action, self.run),
            route(calls.list_options_by_query, self.options_by_query),
            route(calls.test_credential, self.test),
        ]

    async def run(self, request: Request) -> Response:
        """Run an action; with `callback_url`, the result of a slow read, or of a write that waits, is posted there."""
        action = find_manifest(self._connector.action, request.path_params["id"])
        self._check_right(action, request)
        caller = await self._services.caller(request)
        body = await read_object(request, RUN_FIELDS, self._max_body)
        intent = Intent.of({**body, "key": idempotency_key(request, body.get("key"))})
        invocation = action.id, body.get("inputs", {}), intent
        dry_run, callback_url = body.get("dry_run", False), body.get("callback_url")
        invoker = invoker_of(request, callback_url if action.writes else None)
        if callback_url is not None:
            self._services.callbacks.check(callback_url)
        if callback_url is None or dry_run or action.writes:
            return await self._respond(await self._invoke(caller, invoker, invocation, dry_run), callback_url)
        async with self._services.sessions.acquire(caller, wait_for_slot=False) as session:
            await session.perform(*invocation, dry_run=True, invoker=invoker)  # wrong inputs are reported now
        run = partial(self._invoke, caller, invoker, invocation, False)
        id, secret = self._services.callbacks.start(callback_url, run)
        return json_response({"ok": True, "accepted": True, "id": id, "callback_secret": secret}, 202, NO_STORE)

    def _check_right(self, action: Action, request: Request) -> None:
        """Raise unless the caller may run the action, before anything of the request is read."""
        try:
            rights.check_right(actor_of(request), action)
        except RightMissing as error:
            self._connector.shared.refusals.refused(current_source(), error, action=action.id)
            raise

    async def _respond(self, result: Result, callback_url: str | None) -> Response:
        """Respond with the result; 202 while it waits for approval, with what proves the callback's origin."""
        document = result.as_dict(current_language())
        if not result.waits:
            return json_response(document, headers=NO_STORE)
        if callback_url is not None:
            document["callback_secret"] = await self._services.callback_secret(str(result.run))
        self._services.state.context.wake()
        return json_response(document, 202, NO_STORE)

    async def _invoke(self, caller: Caller, invoker: Invoker, invocation: Invocation, dry_run: bool) -> Result:
        metrics, id = self._services.metrics, invocation[0]
        try:
            async with self._services.sessions.acquire(caller) as session:
                result = await session.perform(*invocation, dry_run=dry_run, invoker=invoker)
        except KontorError as error:
            metrics.count_failure("action", id, error)
            raise
        metrics.count_call("action", id, _outcome(result), None if dry_run else result.credits)
        return result

    async def options(self, request: Request) -> Response:
        """List the options of a lookup, inputs in the body."""
        caller = await self._services.caller(request)
        body = await read_object(request, LOOKUP_FIELDS)
        return await self._options(request, caller, body.pop("inputs", {}), body)

    async def options_by_query(self, request: Request) -> Response:
        """List the options of a lookup, inputs in the query: some platforms can only GET."""
        caller = await self._services.caller(request)
        inputs, page = read_query(request, ("search", "limit", "after"))
        limit: dict[str, Any] = {"limit": int(text)} if (text := page.get("limit", "")).isdecimal() else {}
        return await self._options(request, caller, inputs, {**page, **limit})

    async def _options(
        self, request: Request, caller: Caller, inputs: dict[str, Any], page: Mapping[str, Any]
    ) -> Response:
        lookup = find_manifest(self._connector.lookup, request.path_params["id"])
        try:
            async with self._services.sessions.acquire(caller, wait_for_slot=False) as session:
                options = await session.options(lookup.id, inputs, lang=current_language(), **page)
        except KontorError as error:
            self._services.metrics.count_failure("lookup", lookup.id, error)
            raise
        self._services.metrics.count_call("lookup", lookup.id, "cached" if options.cached else "done")
        if options.cached and not page:
            return Response(self._encoded_options.encode(options), media_type="application/json")
        return json_response(options.as_dict())

    async def test(self, request: Request) -> Response:
        """Test the credential with a free call."""
        async with self._services.sessions.acquire(await self._services.caller(request)) as session:
            return json_response(await session.test())


def _outcome(result: Result) -> str:
    if result.waits:
        return "waiting"
    return "dry_run" if result.dry_run else "replayed" if result.replayed else "done"
