"""Where the service's events come in. Open to everybody who knows the token in the path; 200 only once on disk.

Events take a short way from the door to here: through all the routes they would spend a third of their time.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from connector.core.errors import KontorError, NotFound
from connector.core.messages import say
from connector.durable.inbox.ingest import MAX_BODY_BYTES
from connector.interfaces.host.answers import Answer
from connector.interfaces.host.bodies import read_bytes
from connector.interfaces.host.endpoint import endpoint, route
from connector.interfaces.host.parts import HostParts
from connector.interfaces.host.refusals import HostRefusal, Malformed, TooLarge

BELOW = "/hooks/"
PATH = BELOW + "{token}"
STORED = Answer(status_code=200)
"""Without a word: the service reads none, and an answer in one piece is stored and told faster."""


class TooManyEvents(HostRefusal):
    """A sender is faster than anybody should be."""

    kind = "rate_limited"
    http_status = 429
    retryable = True


class NotStored(HostRefusal):
    """The event is not on disk: the sender shall come again."""

    kind = "error"
    http_status = 503
    retryable = True


class Hooks:
    """Hands events to the intake."""

    def __init__(self, parts: HostParts) -> None:
        self._intake = parts.intake
        self._endpoint = endpoint(PATH, self.receive)

    def routes(self) -> list[Route]:
        """The route, for whoever asks what there is, or comes with another method."""
        return [route(PATH, "POST", self.receive)]

    async def short_way(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a POST that came to a path below `BELOW`."""
        scope["path_params"] = {"token": scope["path"].removeprefix(BELOW)}
        told = await self._endpoint(Request(scope, receive))
        await told(scope, receive, send)

    async def receive(self, request: Request) -> Answer:
        """Takes one event in."""
        body = await read_bytes(request, MAX_BODY_BYTES)
        source = request.client.host if request.client else ""
        content_type = request.headers.get("content-type", "")
        status = await self._intake.receive(request.path_params["token"], body, content_type, source)
        if status != 200:
            raise _refusal(status)
        return STORED


def _refusal(status: int) -> KontorError:
    match status:
        case 404:
            return NotFound(say("host_hook_unknown"), remedy=say("host_no_route_remedy"), outcome="not_sent")
        case 413:
            return TooLarge(MAX_BODY_BYTES)
        case 429:
            return TooManyEvents(say("host_hook_busy"), remedy=say("host_hook_remedy"))
        case 503:
            return NotStored(say("host_hook_not_stored"), remedy=say("host_hook_remedy"))
        case _:
            return Malformed(say("host_hook_body"), remedy=say("host_hook_body_remedy"))
