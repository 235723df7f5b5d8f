"""The door: every request passes here. It gets an id, shows the host token, and leaves a log line and a count."""

from __future__ import annotations

import logging
import time

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.interfaces.host.answers import Answer
from connector.interfaces.host.language import language_of
from connector.interfaces.host.metrics import HostMetrics
from connector.interfaces.host.problem import problem
from connector.interfaces.host.refusals import TokenRefused
from connector.interfaces.host.request_log import RequestLog
from connector.interfaces.host.under_way import REQUEST, UnderWay, request_id
from connector.interfaces.host_state import HostState

OPEN = frozenset({("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/readyz"), ("HEAD", "/readyz")})
HOOKS = "/hooks/"
BEARER = b"bearer "
log = logging.getLogger("kontor.host")


class Door:
    """Wraps the whole application. The console asks for the token in its own way, so its pages pass."""

    def __init__(self, app: ASGIApp, events: ASGIApp, state: HostState, metrics: HostMetrics) -> None:
        """`events` answers what the service sends, `app` everything else."""
        self._app = app
        self._events = events
        self._state = state
        self._metrics = metrics
        self._log = RequestLog()
        self.console_path: str | None = None
        """Set when a console is there."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            self._log.write()  # the end of the application's life is one of these
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        under_way = UnderWay(
            request_id(headers.get(b"x-request-id", b"").decode("latin-1")),
            language_of(headers.get(b"accept-language", b"").decode("latin-1")),
        )
        token = REQUEST.set(under_way)
        started, status = time.perf_counter(), 0
        id_header = (b"x-request-id", under_way.request_id.encode())

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), id_header]
            await send(message)

        try:
            if scope["method"] == "POST" and scope["path"].startswith(HOOKS):
                await self._events(scope, receive, send_with_id)
            elif self._open(scope) or self._admitted(headers.get(b"authorization", b"")):
                await self._app(scope, receive, send_with_id)
            else:
                await refused(TokenRefused())(scope, receive, send_with_id)
        except ClientDisconnect:
            status = status or 499  # nobody is there to be answered
        finally:
            self._tell(scope, under_way, status, time.perf_counter() - started)
            REQUEST.reset(token)

    def _open(self, scope: Scope) -> bool:
        """Whether strangers may come here: signs of life, and the console's own door."""
        method, path = scope["method"], scope["path"]
        if (method, path) in OPEN:
            return True
        console = self.console_path
        return console is not None and (path in {console, "/"} or path.startswith(f"{console}/"))

    def _admitted(self, authorization: bytes) -> bool:
        scheme, given = authorization[: len(BEARER)], authorization[len(BEARER) :]
        return scheme.lower() == BEARER and self._state.admits(given.strip().decode("latin-1"))

    def _tell(self, scope: Scope, under_way: UnderWay, status: int, seconds: float) -> None:
        self._metrics.answered(under_way.route, scope["method"], status, seconds)
        if (scope["method"], scope["path"]) not in OPEN:  # signs of life are asked for all day long
            self._log.note(scope["method"], under_way, status, seconds)


def refused(error: KontorError) -> Answer:
    """The answer that tells an error, for the request under way."""
    under_way = REQUEST.get() or UnderWay(request_id(""))
    under_way.kind = error.kind
    return problem(error, lang=under_way.lang, request_id=under_way.request_id, secret=under_way.secret)


def unexpected(error: Exception) -> Answer:
    """The same for what nobody foresaw."""
    under_way = REQUEST.get() or UnderWay(request_id(""))
    return refused(unforeseen(error, under_way.request_id))


def unforeseen(error: Exception, id: str) -> KontorError:
    """What callers are told of an error that nobody foresaw; its trace goes to the log, not to them."""
    log.error("not foreseen: %s", type(error).__name__, exc_info=error)
    remedy = say("host_unexpected_remedy", id=id)
    return KontorError(say("host_unexpected"), remedy=remedy, outcome="unknown")
