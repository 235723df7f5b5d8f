"""One poll of a trigger, for platforms that keep the cursor themselves.

Power Automate keeps it in an address: an answer without items is 202, one with items 200, and both name in `Location`
where to ask next and in `Retry-After` when. Asked for by `?protocol=powerautomate`, by `Prefer: respond-async`, or by
a parameter of `Accept` (`application/json;protocol=powerautomate`).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.routing import Route

from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.core.values import json
from connector.interfaces.host.answers import Answer, answer
from connector.interfaces.host.bodies import read_object, read_query
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.manifests_shown import named
from connector.interfaces.host.parts import HostParts
from connector.runtime.poll import START, Polled

PROTOCOL = "powerautomate"
RESERVED = ("cursor", "start", "protocol")
POLL_FIELDS = {"inputs": dict, "cursor": str, "start": str}


class Polls:
    """Asks the service once per request; nothing is kept."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._connector = parts.state.connector

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            route("/v1/triggers/{id}/poll", "POST", self.poll),
            route("/v1/triggers/{id}/poll", "GET", self.poll_by_query),
        ]

    async def poll(self, request: Request) -> Answer:
        """A poll, inputs and cursor in the body."""
        trigger = named(self._connector.trigger, request.path_params["id"])
        body = await read_object(request, POLL_FIELDS)
        by_location = request.query_params.get("protocol") == PROTOCOL or _asks_for_location(request)
        return await self._answer(request, trigger, body.get("inputs", {}), body, by_location)

    async def poll_by_query(self, request: Request) -> Answer:
        """The same with everything in the query."""
        trigger = named(self._connector.trigger, request.path_params["id"])
        inputs, apart = read_query(request, trigger.inputs, RESERVED)
        by_location = apart.get("protocol") == PROTOCOL or _asks_for_location(request)
        return await self._answer(request, trigger, inputs, apart, by_location)

    async def _answer(
        self, request: Request, trigger: Trigger, inputs: dict[str, Any], more: dict[str, Any], by_location: bool
    ) -> Answer:
        polled = await self._poll(request, trigger, inputs, more.get("cursor") or None, more.get("start") or START)
        document = {**polled.as_dict(), "more": polled.more}
        if not by_location:
            return answer(document, headers={"cache-control": "no-store"})
        headers = {
            "location": self._next_address(request, inputs, polled.cursor),
            "retry-after": str(trigger.least_interval if polled.more else trigger.usual_interval),
            "cache-control": "no-store",
        }
        return answer(document, 200 if polled.items else 202, headers)

    async def _poll(
        self, request: Request, trigger: Trigger, inputs: dict[str, Any], cursor: str | None, start: str
    ) -> Polled:
        try:
            async with self._parts.sessions.of(self._parts.caller(request)) as session:
                polled = await session.poll(trigger.id, inputs, cursor, start)
        except KontorError as error:
            self._parts.metrics.failed("poll", trigger.id, error)
            raise
        self._parts.metrics.called("poll", trigger.id, "done", polled.credits)
        return polled

    def _next_address(self, request: Request, inputs: dict[str, Any], cursor: str) -> str:
        """The same poll from the new cursor on, whole in one address."""
        public = self._parts.state.public_url.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"
        texts = {name: _as_text(value) for name, value in inputs.items()}
        query = urlencode({**texts, "protocol": PROTOCOL, "cursor": cursor})
        return f"{public}{request.url.path}?{query}"


def _asks_for_location(request: Request) -> bool:
    wishes = {wish.strip().lower() for wish in request.headers.get("prefer", "").split(",")}
    accepts = request.headers.get("accept", "").lower().replace(" ", "").replace('"', "")
    return "respond-async" in wishes or f"protocol={PROTOCOL}" in accepts


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.encode(value).decode()
