"""Stateless calls: an action run, a dropdown's options, a credential's test. The key is used and not stored."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.interfaces.host.answers import Answer, answer
from connector.interfaces.host.bodies import read_object, read_query
from connector.interfaces.host.caller import Caller
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.manifests_shown import named
from connector.interfaces.host.parts import HostParts
from connector.interfaces.host.refusals import Malformed
from connector.interfaces.host.written_options import WrittenOptions
from connector.runtime.result import Result

RUN_FIELDS = {"inputs": dict, "key": str, "dry_run": bool, "callback_url": str}
LOOKUP_FIELDS = {"inputs": dict, "search": str}
NOT_KEPT = {"cache-control": "no-store"}
Order = tuple[str, dict[str, Any], str | None]
"""An action, its inputs, and the key of the step that runs it."""


class Calls:
    """Runs what callers ask for, under their own key."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._connector = parts.state.connector
        self._most = parts.state.settings.most_body
        self._written = WrittenOptions()

    def routes(self) -> list[Route]:
        """The routes; the busiest first, since they are looked through in this order."""
        return [
            route("/v1/lookups/{id}", "POST", self.options),
            route("/v1/actions/{id}/run", "POST", self.run),
            route("/v1/lookups/{id}", "GET", self.options_by_query),
            route("/v1/credential/test", "POST", self.test),
        ]

    async def run(self, request: Request) -> Answer:
        """Runs an action; a slow one behind its answer, when the caller says where to call back."""
        action = named(self._connector.action, request.path_params["id"])
        caller = self._parts.caller(request)
        body = await read_object(request, RUN_FIELDS, self._most)
        order = action.id, body.get("inputs", {}), _key(request, body.get("key"))
        dry_run, callback_url = body.get("dry_run", False), body.get("callback_url")
        if callback_url is not None:
            self._parts.callbacks.check(callback_url, action)
        if callback_url is None or dry_run:
            result = await self._invoke(caller, order, dry_run)
            return answer(result.as_dict(), headers=NOT_KEPT)
        async with self._parts.sessions.of(caller, in_turn=False) as session:
            await session.invoke(*order, dry_run=True)  # what is wrong with the order itself is told now
        id = self._parts.callbacks.begin(callback_url, partial(self._invoke, caller, order, False))
        return answer({"ok": True, "accepted": True, "id": id}, 202, NOT_KEPT)

    async def _invoke(self, caller: Caller, order: Order, dry_run: bool) -> Result:
        metrics, id = self._parts.metrics, order[0]
        try:
            async with self._parts.sessions.of(caller) as session:
                result = await session.invoke(*order, dry_run)
        except KontorError as error:
            metrics.failed("action", id, error)
            raise
        metrics.called("action", id, _outcome(result), None if dry_run else result.credits)
        return result

    async def options(self, request: Request) -> Answer:
        """A dropdown's options, inputs in the body."""
        caller = self._parts.caller(request)
        body = await read_object(request, LOOKUP_FIELDS)
        return await self._options(request, caller, body.get("inputs", {}), body.get("search"))

    async def options_by_query(self, request: Request) -> Answer:
        """The same for platforms whose dropdowns can only GET: inputs in the query."""
        lookup = named(self._connector.lookup, request.path_params["id"])
        caller = self._parts.caller(request)
        inputs, apart = read_query(request, lookup.inputs, ("search",))
        return await self._options(request, caller, inputs, apart.get("search"))

    async def _options(self, request: Request, caller: Caller, inputs: dict[str, Any], search: str | None) -> Answer:
        lookup = named(self._connector.lookup, request.path_params["id"])
        try:
            async with self._parts.sessions.of(caller, in_turn=False) as session:
                options = await session.options(lookup.id, inputs, search)
        except KontorError as error:
            self._parts.metrics.failed("lookup", lookup.id, error)
            raise
        self._parts.metrics.called("lookup", lookup.id, "cached" if options.cached else "done")
        if options.cached and not search:
            return Response(self._written.of(options), media_type="application/json")
        return answer(options.as_dict())

    async def test(self, request: Request) -> Answer:
        """Whether the credential works. Free."""
        async with self._parts.sessions.of(self._parts.caller(request)) as session:
            return answer(await session.test())


def _key(request: Request, in_body: str | None) -> str | None:
    """The caller's key for "never twice": from the body, or from the header that many clients have for it."""
    in_header = request.headers.get("idempotency-key")
    if in_header is None:
        return in_body
    if len(in_header) >= 2 and in_header[0] == in_header[-1] == '"':
        in_header = in_header[1:-1]  # the header's own way of writing a text
    if in_body is not None and in_body != in_header:
        raise Malformed(say("host_keys_differ"), remedy=say("host_keys_differ_remedy"), field="key")
    return in_header


def _outcome(result: Result) -> str:
    return "dry_run" if result.dry_run else "replayed" if result.replayed else "done"
