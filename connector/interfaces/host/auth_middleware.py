"""ASGI middleware: finds out who calls by the token, assigns a request id, logs and counts every request."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from datetime import timedelta

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core import limits
from connector.core.callers import ACTOR, Actor, CallSource, Face, known_platform, set_source
from connector.core.errors import KontorError, StoreDown
from connector.core.messages import say
from connector.interfaces.host.errors import TokenRefused, TooManyTokens
from connector.interfaces.host.guards.bodies import LargeBodies
from connector.interfaces.host.guards.requests import BodyLimits, RequestGuard, address_of, origin_of, owner_of
from connector.interfaces.host.in_flight import CURRENT_REQUEST, InFlight, language_of, request_id
from connector.interfaces.host.logs import RequestLog
from connector.interfaces.host.metrics import HostMetrics
from connector.interfaces.host.responses import error_response
from connector.interfaces.host_state import HostState
from connector.interfaces.token_check import TokenThrottle
from connector.operations.operation import HostError
from connector.store.database.errors import is_outage

PROBES = frozenset({("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/readyz"), ("HEAD", "/readyz")})
PUBLIC_ROUTES = PROBES | {("POST", "/v1/sign-in"), ("POST", "/v1/invitations/accept")}
HOOKS = "/hooks/"
BEARER = b"bearer "
MCP = "/mcp"
PLATFORM, LABEL = b"x-kontor-platform", b"x-kontor-quelle"
"""Headers that tell on whose forms the answer is read; the label is also what packages send."""
HSTS = (b"strict-transport-security", b"max-age=31536000")


class AuthMiddleware:
    """Wraps the whole application; console pages pass, because the console has its own login."""

    def __init__(self, app: ASGIApp, hooks: ASGIApp, state: HostState, metrics: HostMetrics) -> None:
        """`hooks` handles the service's webhook calls, `app` everything else."""
        self._app = app
        self._hooks = hooks
        self._state = state
        self._metrics = metrics
        self._log = RequestLog()
        self._throttle = TokenThrottle(limits.MAX_WRONG_TOKENS)
        self._large_bodies = LargeBodies()
        self._body_limits = BodyLimits(state.settings.max_body, limits.MAX_MEMBERS)
        self._tls_headers = (HSTS,) if state.has_tls else ()
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
        address, origin = address_of(scope), origin_of(scope)
        source = CallSource(face, origin, platform=_platform_in(headers))
        set_source(source)  # also a refusal is worded for the caller
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

        guard = RequestGuard(scope, receive, self._large_bodies)
        try:
            if scope["method"] == "POST" and scope["path"].startswith(HOOKS):
                await self._hooks(scope, guard.receive, send_with_id)
            elif self._is_public(scope):
                await self._app(scope, guard.receive, send_with_id)
            elif (actor := await self._actor_of(headers.get(b"authorization", b""))) is not None:
                scope[ACTOR] = actor
                set_source(replace(source, actor=actor))
                label = headers.get(LABEL, b"mcp" if face == "mcp" else b"")
                self._state.platforms.note(actor.workspace, label.decode("latin-1"))
                guard.trust(owner_of(actor), self._body_limits)
                await self._app(scope, guard.receive, send_with_id)
            else:
                guard.distrust()
                refusal: HostError = TokenRefused()
                if headers.get(b"authorization"):
                    self._state.refusals.record(source, "token.refused")
                    refusal = self._refusal(headers[b"authorization"], address)
                await error_response(refusal)(scope, receive, send_with_id)
        except KontorError as error:
            if status:  # the answer has begun
                raise
            await error_response(error)(scope, receive, send_with_id)
        except ClientDisconnect:
            status = status or 499  # nginx's code for a client that closed the connection
        finally:
            guard.end()
            self._record(scope, in_flight, status, time.perf_counter() - started)
            if in_flight.refusal is not None:
                told = {"route": f"{scope['method']} {in_flight.route}", "why": in_flight.refusal}
                self._state.refusals.record(replace(source, actor=scope.get(ACTOR)), "right.refused", told)
            CURRENT_REQUEST.reset(token)

    def _is_public(self, scope: Scope) -> bool:
        """Whether the route needs no host token: health checks and the console."""
        method, path = scope["method"], scope["path"]
        if (method, path) in PUBLIC_ROUTES:
            return True
        console = self.console_path
        return console is not None and (path in {console, "/"} or path.startswith(f"{console}/"))

    def _refusal(self, authorization: bytes, address: str) -> HostError:
        """Count a wrong token, and return what to answer."""
        text = _token_in(authorization) or ""
        seconds = self._throttle.seconds_to_wait(address, text)
        if seconds:
            return TooManyTokens(self._state.context.own_now() + timedelta(seconds=math.ceil(seconds)))
        self._throttle.failed(address, text)
        return TokenRefused()

    async def _actor_of(self, authorization: bytes) -> Actor | None:
        """Return who presents a token."""
        token = _token_in(authorization)
        if token is None:
            return None
        try:
            return await self._state.tokens.actor_of(token)
        except Exception as error:
            if is_outage(error):
                raise StoreDown(say("host_database_down"), remedy=say("host_database_down_remedy")) from None
            raise

    def _record(self, scope: Scope, in_flight: InFlight, status: int, seconds: float) -> None:
        self._metrics.count_response(in_flight.route, scope["method"], status, seconds)
        if (scope["method"], scope["path"]) not in PROBES:  # health checks would fill the log
            self._log.add(scope["method"], in_flight, status, seconds)


def _token_in(authorization: bytes) -> str | None:
    scheme, given = authorization[: len(BEARER)], authorization[len(BEARER) :]
    return given.strip().decode("latin-1") if scheme.lower() == BEARER else None


def _platform_in(headers: Mapping[bytes, bytes]) -> str:
    told = [headers.get(name, b"").decode("latin-1") for name in (PLATFORM, LABEL)]
    return next((known for known in map(known_platform, told) if known), "")
