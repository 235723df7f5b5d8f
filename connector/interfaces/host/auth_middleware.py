"""ASGI middleware: finds out who calls by the token, assigns a request id, logs and counts every request."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable
from datetime import timedelta

from cachetools import LRUCache
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core.callers import ACTOR, Actor, CallSource, Face, set_source
from connector.core.errors import StoreDown
from connector.core.messages import say
from connector.interfaces.host.errors import TokenRefused, TooManyTokens
from connector.interfaces.host.in_flight import CURRENT_REQUEST, InFlight, language_of, request_id
from connector.interfaces.host.logs import RequestLog
from connector.interfaces.host.metrics import HostMetrics
from connector.interfaces.host.responses import error_response
from connector.interfaces.host_state import HostState
from connector.interfaces.token_check import LoginThrottle
from connector.operations.operation import HostError
from connector.store.database.errors import is_outage
from connector.store.trust import tokens

PUBLIC_ROUTES = frozenset({("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/readyz"), ("HEAD", "/readyz")})
HOOKS = "/hooks/"
BEARER = b"bearer "
MCP = "/mcp"
HSTS = (b"strict-transport-security", b"max-age=31536000")
MAX_WRONG_TOKENS = 300
"""Wrong tokens in a minute, by address."""
MAX_REMEMBERED = 4096


class AuthMiddleware:
    """Wraps the whole application; console pages pass, because the console has its own login."""

    def __init__(self, app: ASGIApp, hooks: ASGIApp, state: HostState, metrics: HostMetrics) -> None:
        """`hooks` handles the service's webhook calls, `app` everything else."""
        self._app = app
        self._hooks = hooks
        self._state = state
        self._metrics = metrics
        self._log = RequestLog()
        self._throttle = LoginThrottle(MAX_WRONG_TOKENS)
        self._right: LRUCache[str, None] = LRUCache(MAX_REMEMBERED)
        """Digests of tokens that were right."""
        self._tls_headers = (HSTS,) if state.public_url.startswith("https://") else ()
        self.console_path: str | None = None
        """The path of the console, if one is mounted."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            self._log.flush()  # the lifespan scope ends here
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        in_flight = InFlight(
            request_id(headers.get(b"x-request-id", b"").decode("latin-1")),
            language_of(headers.get(b"accept-language", b"").decode("latin-1")),
        )
        token = CURRENT_REQUEST.set(in_flight)
        face: Face = "mcp" if scope["path"] == MCP else "http"
        address = scope["client"][0] if scope.get("client") else ""
        started, status = time.perf_counter(), 0
        id_header = (b"x-request-id", in_flight.request_id.encode())

        def send_with_id(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                present = message.get("headers", ())
                message["headers"] = [*present, id_header]
                if self._tls_headers and all(name != HSTS[0] for name, _ in present):
                    message["headers"] += self._tls_headers
            return send(message)

        try:
            if scope["method"] == "POST" and scope["path"].startswith(HOOKS):
                await self._hooks(scope, receive, send_with_id)
            elif self._is_public(scope):
                await self._app(scope, receive, send_with_id)
            elif (actor := await self._actor_of(headers.get(b"authorization", b""), address)) is not None:
                scope[ACTOR] = actor
                set_source(CallSource(face, address, actor))
                await self._app(scope, receive, send_with_id)
            else:
                refusal: HostError = TokenRefused()
                if headers.get(b"authorization"):
                    self._state.refusals.record(CallSource(face, address), "token.refused")
                    refusal = self._refusal(address)
                await error_response(refusal)(scope, receive, send_with_id)
        except StoreDown as error:
            await error_response(error)(scope, receive, send_with_id)
        except ClientDisconnect:
            status = status or 499  # nginx's code for a client that closed the connection
        finally:
            self._record(scope, in_flight, status, time.perf_counter() - started)
            if in_flight.refusal is not None:
                told = {"route": f"{scope['method']} {in_flight.route}", "why": in_flight.refusal}
                self._state.refusals.record(CallSource(face, address, scope.get(ACTOR)), "right.refused", told)
            CURRENT_REQUEST.reset(token)

    def _is_public(self, scope: Scope) -> bool:
        """Whether the route needs no host token: health checks and the console."""
        method, path = scope["method"], scope["path"]
        if (method, path) in PUBLIC_ROUTES:
            return True
        console = self.console_path
        return console is not None and (path in {console, "/"} or path.startswith(f"{console}/"))

    def _refusal(self, address: str) -> HostError:
        """Count a wrong token, and return what to answer."""
        seconds = self._throttle.seconds_to_wait(address)
        if seconds:
            return TooManyTokens(self._state.context.own_now() + timedelta(seconds=math.ceil(seconds)))
        self._throttle.failed(address)
        return TokenRefused()

    async def _actor_of(self, authorization: bytes, address: str) -> Actor | None:
        """Return who presents a token; from an address with many wrong ones, only if it was right before."""
        scheme, given = authorization[: len(BEARER)], authorization[len(BEARER) :]
        if scheme.lower() != BEARER:
            return None
        token = given.strip().decode("latin-1")
        known = self._state.tokens.known(token)
        if known is not None:
            return known
        digest = tokens.digest(token)
        if digest not in self._right and self._throttle.seconds_to_wait(address):
            return None
        try:
            actor = await self._state.tokens.actor_of(token)
            if actor is not None:
                self._right[digest] = None
            return actor
        except Exception as error:
            if is_outage(error):
                raise StoreDown(say("host_database_down"), remedy=say("host_database_down_remedy")) from None
            raise

    def _record(self, scope: Scope, in_flight: InFlight, status: int, seconds: float) -> None:
        self._metrics.count_response(in_flight.route, scope["method"], status, seconds)
        if (scope["method"], scope["path"]) not in PUBLIC_ROUTES:  # health checks would fill the log
            self._log.add(scope["method"], in_flight, status, seconds)
