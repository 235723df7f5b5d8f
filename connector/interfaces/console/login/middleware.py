"""ASGI middleware: requires a login by a token or one-time link for the console, and refuses foreign pages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core import limits
from connector.core.callers import CallSource, set_source
from connector.core.messages import LANGUAGES
from connector.core.service.credential import is_loopback
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.login import login_page
from connector.interfaces.console.login.content_policy import (
    LOGIN_POLICY,
    NONCE,
    SECURITY_HEADERS,
    new_nonce,
    page_policy,
)
from connector.interfaces.console.login.sessions import COOKIE_NAME, MAX_AGE_SECONDS, LoginSession, LoginSessions
from connector.interfaces.host.guards.requests import BodyLimits, RequestGuard, address_of, origin_of, owner_of
from connector.interfaces.host_state import HostState
from connector.interfaces.request_body import GUARD
from connector.interfaces.token_check import HOST, TokenThrottle
from connector.store.trust import audit


def is_own_address(connection: HTTPConnection, state: HostState) -> bool:
    """Whether the Host header names this host: a foreign name that was made to lead here (DNS rebinding) is refused.

    Where the host's names are not known, which is behind a proxy without `KONTOR_PUBLIC_URL`, any is taken.
    """
    public = urlsplit(state.public_url).hostname
    if public is None and not is_loopback(state.settings.host):
        return True
    name = _hostname(f"//{connection.headers.get('host', '')}")
    return name is not None and (name in {public, state.settings.host} or is_loopback(name) or _is_ip(name))


def is_own_origin(connection: HTTPConnection, state: HostState) -> bool:
    """Whether what a page sends comes from this host's own pages; a browser says so in Origin."""
    origin = connection.headers.get("origin")
    changes = connection.scope["type"] == "websocket" or connection.scope["method"] not in {"GET", "HEAD"}
    if origin is None or not changes:
        return True
    own = {_authority(f"//{connection.headers.get('host', '')}"), _authority(state.public_url)} - {""}
    return _authority(origin) in own


def _authority(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


def _hostname(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _is_ip(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


LANGUAGE_COOKIE, THEME_COOKIE = "kontor_language", "kontor_theme"
"""Preference cookies."""
THEMES = ("auto", "light", "dark")
YEAR_SECONDS = 365 * 24 * 3600
SCOPE_KEY = "kontor.console"
"""Key of the ConsoleContext in the ASGI scope."""
STATUS_KEY = "kontor.built"
"""Key of what a page says of its answer: under `status`, another status than 200."""


class LoginMiddleware:
    """Protects all pages, assets and websockets of the console."""

    def __init__(self, pages: ASGIApp, state: HostState, path: str) -> None:
        self._pages = pages
        self._state, self._path = state, path
        self._sessions = LoginSessions()
        self._throttle = TokenThrottle(limits.MAX_WRONG_LOGINS)
        self._body_limits = BodyLimits(state.settings.max_body, None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a signed-in request, or respond with the login page."""
        if scope["type"] not in {"http", "websocket"}:
            return
        connection = HTTPConnection(scope)
        is_socket = scope["type"] == "websocket"
        if not is_own_address(connection, self._state) or not is_own_origin(connection, self._state):
            response: Response | None = PlainTextResponse("Forbidden", status_code=403)
            session = None
        else:
            session = await self._sessions.find(connection.cookies.get(COOKIE_NAME, ""))
            response = None
        if session is not None:
            guard: RequestGuard | None = scope.get(GUARD)
            if guard is not None:
                guard.trust(owner_of(session.console.actor), self._body_limits)
            await self._forward(session, scope, receive, send)
        elif is_socket:
            await send({"type": "websocket.close", "code": 4401})
        else:
            response = response or await self._login(Request(scope, receive))
            response.headers.update(self._security_headers(scope, LOGIN_POLICY))
            await response(scope, receive, send)

    async def _forward(self, session: LoginSession, scope: Scope, receive: Receive, send: Send) -> None:
        source = CallSource("console", origin_of(scope), session.console.actor)
        set_source(source)
        if scope["type"] == "http":
            request = Request(scope)
            if self._subpath(request) == "/leave":
                self._record(source, "console.signed_out")
            response = self._handle_link(request)
            if response is not None:
                await response(scope, receive, send)
                return

        async def receive_while_signed_in() -> Message:
            message = await receive()
            return {"type": "websocket.disconnect", "code": 4401} if session.ended else message

        built: dict[str, int] = {}
        nonce = new_nonce()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["status"] = built.get("status", message["status"])
                headers = MutableHeaders(scope=message)
                headers.update(self._security_headers(scope, page_policy(nonce)))
            await send(message)

        incoming = receive_while_signed_in if scope["type"] == "websocket" else receive
        inside = {**scope, SCOPE_KEY: session.console, STATUS_KEY: built, NONCE: nonce}
        await self._pages(inside, incoming, send_with_headers)

    async def _login(self, request: Request) -> Response:
        """Return the login page, or sign in with a valid token; a one-time link shows a button that sends its token."""
        localize = localizer_of(request)
        if request.method != "POST" or self._subpath(request) != "/login":
            token = request.query_params.get("token", "")
            if token and self._state.is_login_token(token):
                return HTMLResponse(login_page.link_form(localize, self._path, token))
            refused = bool(token)
            page = login_page.login_form(localize, self._path, refused=refused)
            return HTMLResponse(page, status_code=403 if refused else 401)
        address, origin = address_of(request.scope), origin_of(request.scope)
        token = await _posted_token(request)
        by_link = self._state.redeem_login_token(token)
        actor = HOST if by_link else await self._state.tokens.actor_of(token)
        if actor is None:
            self._state.refusals.record(CallSource("console", origin), "console.sign_in_refused")
            seconds = math.ceil(self._throttle.seconds_to_wait(address, token))
            if seconds:
                page = login_page.login_form(localize, self._path, wait_seconds=seconds)
                return HTMLResponse(page, status_code=429, headers={"retry-after": str(seconds)})
            self._throttle.failed(address, token)
            return HTMLResponse(login_page.login_form(localize, self._path, refused=True), status_code=403)
        # A page instead of a redirect: a SameSite=strict cookie is not sent on a redirect that began on another site.
        response = HTMLResponse(login_page.redirect_page(localize, self._path))
        console = ConsoleContext(self._state, self._path, actor)
        self._record(CallSource("console", origin, actor), "console.signed_in", {"by_link": by_link})
        cookie = self._sessions.begin(console, None if by_link else token)
        self._set_cookie(response, request, COOKIE_NAME, cookie, int(MAX_AGE_SECONDS))
        return response

    def _handle_link(self, request: Request) -> Response | None:
        """Handle sign-out, language and theme links, which set a cookie and redirect."""
        subpath = self._subpath(request)
        response = RedirectResponse(_return_path(request, self._path), status_code=303)
        if subpath == "/leave":
            self._sessions.end(request.cookies.get(COOKIE_NAME, ""))
            response.delete_cookie(COOKIE_NAME, path=self._path)
            return response
        for name, prefix, choices in ((LANGUAGE_COOKIE, "/language/", LANGUAGES), (THEME_COOKIE, "/theme/", THEMES)):
            if subpath.startswith(prefix) and subpath.removeprefix(prefix) in choices:
                self._set_cookie(response, request, name, subpath.removeprefix(prefix), YEAR_SECONDS)
                return response
        has_token = request.query_params.get("token") is not None  # a one-time link, opened by a signed-in user
        if has_token or not subpath:
            return RedirectResponse(self._path + "/", status_code=303)
        return None

    def _record(self, source: CallSource, what: str, details: Mapping[str, Any] | None = None) -> None:
        """Record in the audit log, later if the database is away."""
        now, workspace = self._state.context.now(), source.actor.workspace if source.actor else None
        self._state.database.write_later(
            lambda connection: audit.record_by(
                connection, source, workspace=workspace, what=what, details=details, now=now
            )
        )

    def _subpath(self, request: Request) -> str:
        return request.url.path.removeprefix(self._path)

    def _security_headers(self, scope: Scope, policy: str) -> dict[str, str]:
        """Return the headers that tell a browser what the page may do; behind TLS also to come back by TLS only."""
        has_tls = self._state.has_tls or scope.get("scheme") == "https"
        tls = {"strict-transport-security": f"max-age={YEAR_SECONDS}"} if has_tls else {}
        return {**SECURITY_HEADERS, "content-security-policy": policy, **tls}

    def _set_cookie(self, response: Response, request: Request, name: str, value: str, seconds: int) -> None:
        secure = self._state.has_tls or request.url.scheme == "https"
        response.set_cookie(
            name, value, max_age=seconds, path=self._path, httponly=True, samesite="strict", secure=secure
        )


def localizer_of(request: HTTPConnection) -> Localizer:
    """Choose the language by cookie, browser or host default."""
    return Localizer.from_request(request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language"))


def theme_of(request: HTTPConnection) -> str:
    """Return the theme chosen by cookie."""
    theme = request.cookies.get(THEME_COOKIE, "auto")
    return theme if theme in THEMES else "auto"


async def _posted_token(request: Request) -> str:
    """Return what was typed; the guard of the request bounds its body."""
    from urllib.parse import parse_qs

    return parse_qs((await request.body()).decode("latin-1")).get("token", [""])[0].strip()


def _return_path(request: Request, path: str) -> str:
    """Return the `from` address, with its query, if it is a page of the console, else the start page."""
    origin = urlsplit(request.query_params.get("from", ""))
    read = unquote(origin.path)  # as a browser does, which takes %2e for a dot
    is_local = origin.path.startswith(f"{path}/") and not origin.netloc and not origin.scheme
    if not is_local or "//" in read or "\\" in read or not {".", ".."}.isdisjoint(read.split("/")):
        return f"{path}/"
    return f"{origin.path}?{origin.query}".removesuffix("?")
