"""Routes for one poll of a trigger, for platforms that keep the cursor themselves.

Power Automate's polling protocol keeps the cursor in a URL: a response without items is 202, one with items 200; both
name the next URL in `Location` and the interval in `Retry-After`. Selected by `?protocol=powerautomate`, by
`Prefer: respond-async`, or by a parameter of `Accept` (`application/json;protocol=powerautomate`).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.core.values import json
from connector.durable.poller.poll_throttle import PollThrottle
from connector.interfaces.host.endpoint import NO_STORE, route
from connector.interfaces.host.responses import json_response
from connector.interfaces.host.routes.request_parsing import read_object, read_query
from connector.interfaces.host.services import HostServices
from connector.operations import calls
from connector.operations.catalog import find_manifest
from connector.runtime.poll import START, Polled

PROTOCOL = "powerautomate"
RESERVED = ("cursor", "start", "protocol")
POLL_FIELDS = {"inputs": dict, "cursor": str, "start": str}


class PollRoutes:
    """Polls the service once per request, where a look is due; stores nothing."""

    def __init__(self, services: HostServices) -> None:
        self._services = services
        self._connector = services.state.connector
        self._throttle = PollThrottle()
        self._clock = services.state.context.clock

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route(calls.poll_trigger, self.poll),
            route(calls.poll_trigger_by_query, self.poll_by_query),
        ]

    async def poll(self, request: Request) -> Response:
        """Poll once, inputs and cursor in the body."""
        trigger = find_manifest(self._connector.trigger, request.path_params["id"])
        body = await read_object(request, POLL_FIELDS)
        use_location = request.query_params.get("protocol") == PROTOCOL or _prefers_location(request)
        return await self._response(request, trigger, body.get("inputs", {}), body, use_location)

    async def poll_by_query(self, request: Request) -> Response:
        """Poll once, inputs and cursor in the query."""
        trigger = find_manifest(self._connector.trigger, request.path_params["id"])
        inputs, reserved_values = read_query(request, RESERVED)
        use_location = reserved_values.get("protocol") == PROTOCOL or _prefers_location(request)
        return await self._response(request, trigger, inputs, reserved_values, use_location)

    async def _response(
        self, request: Request, trigger: Trigger, inputs: dict[str, Any], more: dict[str, Any], use_location: bool
    ) -> Response:
        polled = await self._poll(request, trigger, inputs, more.get("cursor") or None, more.get("start") or START)
        document = {**polled.as_dict(), "more": polled.more}
        if not use_location:
            return json_response(document, headers=NO_STORE)
        headers = {
            "location": self._next_url(request, inputs, polled.cursor),
            "retry-after": str(trigger.least_interval if polled.more else trigger.usual_interval),
            **NO_STORE,
        }
        return json_response(document, 200 if polled.items else 202, headers)

    async def _poll(
        self, request: Request, trigger: Trigger, inputs: dict[str, Any], cursor: str | None, start: str
    ) -> Polled:
        try:
            async with self._services.sessions.acquire(await self._services.caller(request)) as session:
                polled = await self._throttle.poll(session, trigger, inputs, cursor, start, self._clock.utcnow())
        except KontorError as error:
            self._services.metrics.count_failure("poll", trigger.id, error)
            raise
        self._services.metrics.count_call("poll", trigger.id, "done", polled.credits)
        return polled

    def _next_url(self, request: Request, inputs: dict[str, Any], cursor: str) -> str:
        """The URL of the next poll, with inputs and the new cursor."""
        public = self._services.state.public_url.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"
        texts = {name: _as_text(value) for name, value in inputs.items()}
        query = urlencode({**texts, "protocol": PROTOCOL, "cursor": cursor})
        return f"{public}{request.url.path}?{query}"


def _prefers_location(request: Request) -> bool:
    preferences = {preference.strip().lower() for preference in request.headers.get("prefer", "").split(",")}
    accepts = request.headers.get("accept", "").lower().replace(" ", "").replace('"', "")
    return "respond-async" in preferences or f"protocol={PROTOCOL}" in accepts


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.encode(value).decode()
