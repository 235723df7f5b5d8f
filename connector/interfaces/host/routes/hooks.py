"""Route for the service's webhook events: the token in the path is the only secret; 200 once stored on disk.

The middleware calls it directly: routing would take a third of the time of an event.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from connector.core.errors import KontorError, NotFound
from connector.core.messages import say
from connector.interfaces.host.endpoint import name_route, response_to, route
from connector.interfaces.host.errors import PayloadTooLarge
from connector.interfaces.host.guards.requests import EVENT, RequestGuard, address_of
from connector.interfaces.host.routes.request_parsing import raw_header, read_bytes
from connector.interfaces.host.services import HostServices
from connector.interfaces.request_body import GUARD
from connector.operations import calls
from connector.operations.operation import BadRequest, HostError

PREFIX = "/hooks/"
STORED = Response(status_code=200)
"""Empty: the service reads no body."""


class TooManyEvents(HostError):
    """A sender exceeds the rate limit of its hook."""

    kind = "rate_limited"
    http_status = 429
    retryable = True


class NotStored(HostError):
    """The event could not be stored; the sender should retry."""

    kind = "error"
    http_status = 503
    retryable = True


class HookRoutes:
    """Passes received events to the intake."""

    def __init__(self, services: HostServices) -> None:
        self._intake = services.intake

    def routes(self) -> list[Route]:
        """Return the route, for the route list and for 405 responses."""
        return [route(calls.receive_event, self.receive)]

    async def handle_directly(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a POST to a path below `PREFIX` without routing."""
        name_route(calls.receive_event.path)
        try:
            response = await self._store(scope, receive)
        except Exception as error:
            response = response_to(error)
        await response(scope, receive, send)

    async def receive(self, request: Request) -> Response:
        """Store one event."""
        return await self._store(request.scope, request.receive)

    async def _store(self, scope: Scope, receive: Receive) -> Response:
        """Store an event. Nothing of a body is taken in for a token that nobody has."""
        hook = await self._intake.find(scope["path"].removeprefix(PREFIX), address_of(scope))
        if isinstance(hook, int):
            raise _error(hook)
        guard: RequestGuard = scope[GUARD]
        guard.trust(f"hook of {hook.credential_id}", EVENT)
        body = await read_bytes(scope, receive, EVENT.max_bytes)
        status = await self._intake.store(hook, body, raw_header(scope, b"content-type"))
        if status != 200:
            raise _error(status)
        return STORED


def _error(status: int) -> KontorError:
    match status:
        case 404:
            return NotFound(say("host_hook_unknown"), remedy=say("host_no_route_remedy"), outcome="not_sent")
        case 413:
            return PayloadTooLarge(EVENT.max_bytes)
        case 429:
            return TooManyEvents(say("host_hook_busy"), remedy=say("host_hook_remedy"))
        case 503:
            return NotStored(say("host_hook_not_stored"), remedy=say("host_hook_remedy"))
        case _:
            return BadRequest(say("host_hook_body"), remedy=say("host_hook_body_remedy"))
