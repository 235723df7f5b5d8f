"""ASGI middleware: lets people into the console by passphrase, token, link or invitation; refuses foreign pages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core import limits
from connector.core.callers import HOST, Actor, CallSource, set_source
from connector.core.errors import InputError
from connector.core.messages import LANGUAGES, say
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
from connector.interfaces.sign_in import SignInRefused, TooManySignIns
from connector.interfaces.token_check import TokenThrottle
from connector.operations.operation import HostError
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
INVITATION = "/invitation"
NO_PAGES = ("/login", "/leave", "/language/", "/theme/", "/_nicegui", "/invitation")
"""What of the console is no page to come back to."""
EVENT = '42["event"'
"""Begins what a page sends when a person does something on it."""
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
                if session.token is not None:
                    await self._state.sign_in.end(session.token)
            response = self._handle_link(request)
            if response is not None:
                await response(scope, receive, send)
                return

        async def receive_while_signed_in() -> Message:
            message = await receive()
            is_here = await self._sessions.is_valid(session, is_use=_is_use(message))
            return message if is_here else {"type": "websocket.disconnect", "code": 4401}

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
        """Return the page by which a stranger gets in, or let in whoever has filled it."""
        localize, subpath = localizer_of(request), self._subpath(request)
        if request.method == "POST" and subpath == "/login":
            return await self._sign_in(request, localize)
        if subpath == INVITATION:
            return await self._invitation(request, localize)
        token = request.query_params.get("token", "")
        if token and self._state.is_login_token(token):
            return HTMLResponse(login_page.link_form(localize, self._path, token))
        target = _page_asked_for(request, self._path)
        if target and request.headers.get("sec-fetch-site") == "cross-site":
            # A link in a mail comes without the cookie (SameSite=strict); the page that it loads anew sends it.
            return HTMLResponse(login_page.redirect_page(localize, target), status_code=401)
        refused = localize("login_refused") if token else ""
        page = login_page.login_form(localize, self._path, target=target, refused=refused)
        return HTMLResponse(page, status_code=403 if refused else 401)

    async def _sign_in(self, request: Request, localize: Localizer) -> Response:
        """Sign in by name and passphrase, by a token or by the token of a one-time link."""
        given, address, origin = await _posted(request), address_of(request.scope), origin_of(request.scope)
        target, token = _own_page(given.get("from", ""), self._path), given.get("token", "").strip()
        source = CallSource("console", origin)
        if token:
            by_link = self._state.redeem_login_token(token)
            actor = HOST if by_link else await self._state.tokens.actor_of(token)
            if actor is not None:
                self._record(replace(source, actor=actor), "console.signed_in", {"by_link": by_link})
                return self._begin(request, localize, actor, None if by_link else token, target)
            self._state.refusals.record(source, "console.sign_in_refused")
            seconds = math.ceil(self._throttle.seconds_to_wait(address, token))
            words = localize("login_wait", seconds=seconds) if seconds else localize("login_refused")
            if not seconds:
                self._throttle.failed(address, token)
            return self._refused(localize, words, target, seconds)
        try:
            name, passphrase = given.get("name", ""), given.get("passphrase", "")
            workspace = given.get("workspace", "").strip() or None
            entered = await self._state.sign_in.by_passphrase(name, passphrase, workspace, address, source)
        except (SignInRefused, TooManySignIns) as error:
            self._state.refusals.record(source, "console.sign_in_refused")
            seconds = error.seconds if isinstance(error, TooManySignIns) else 0
            return self._refused(localize, localize.of(error.message), target, seconds, given.get("name", ""))
        return self._begin(request, localize, entered.actor, entered.token, target)

    async def _invitation(self, request: Request, localize: Localizer) -> Response:
        """Show the page of an invitation, or let in whoever has chosen a passphrase there."""
        given = await _posted(request) if request.method == "POST" else dict(request.query_params)
        code, sign_in = given.get("code", ""), self._state.sign_in
        person = await sign_in.invited(code)
        if person is None:
            self._state.refusals.record(CallSource("console", origin_of(request.scope)), "console.sign_in_refused")
            return self._refused(localize, localize("invitation_refused"), "", 0)
        if request.method != "POST":
            return HTMLResponse(login_page.invitation_form(localize, self._path, code, person.name))
        try:
            if given.get("passphrase") != given.get("again"):
                raise InputError(say("passphrases_differ"), field="passphrase")
            address, source = address_of(request.scope), CallSource("console", origin_of(request.scope))
            entered = await sign_in.accept(code, given.get("passphrase", ""), address, source)
        except (InputError, HostError) as error:
            words = localize.of(error.message)
            page = login_page.invitation_form(localize, self._path, code, person.name, words)
            return HTMLResponse(page, status_code=422)
        return self._begin(request, localize, entered.actor, entered.token, "")

    def _refused(self, localize: Localizer, words: str, target: str, seconds: int, name: str = "") -> Response:
        page = login_page.login_form(localize, self._path, target=target, refused=words, name=name)
        headers = {"retry-after": str(seconds)} if seconds else {}
        return HTMLResponse(page, status_code=429 if seconds else 403, headers=headers)

    def _begin(self, request: Request, localize: Localizer, actor: Actor, token: str | None, target: str) -> Response:
        """Begin a session of this browser, and lead to the page that was asked for."""
        # A page instead of a redirect: a SameSite=strict cookie is not sent on a redirect that began on another site.
        response = HTMLResponse(login_page.redirect_page(localize, target or f"{self._path}/"))
        cookie = self._sessions.begin(ConsoleContext(self._state, self._path, actor), token)
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
        if subpath == INVITATION:  # nobody accepts for somebody else in the session that has invited
            localize, here = localizer_of(request), quote(f"{request.url.path}?{request.url.query}", safe="")
            target, words = f"{self._path}/leave?from={here}", localize("invitation_for_another")
            more = f"{words} {localize('invitation_for_another_remedy')}"
            page = login_page.notice_page(localize, localize("login_title"), more, target, localize("leave"))
            return HTMLResponse(page, status_code=403)
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


async def _posted(request: Request) -> dict[str, str]:
    """Return what was typed; the guard of the request bounds its body."""
    from urllib.parse import parse_qs

    fields = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0] for name, values in fields.items()}


def _is_use(message: Message) -> bool:
    """Whether a message of a page is something that a person did, not a sign of life."""
    return str(message.get("text") or "").startswith(EVENT)


def _page_asked_for(request: Request, path: str) -> str:
    """Return the page that a stranger has asked for, to lead there after the sign-in; empty for anything else."""
    subpath = request.url.path.removeprefix(path)
    if request.method != "GET" or subpath.startswith(NO_PAGES):
        return ""
    return _own_page(f"{request.url.path}?{request.url.query}".removesuffix("?"), path)


def _return_path(request: Request, path: str) -> str:
    """Return the `from` address, with its query, if it is a page of the console, else the start page."""
    return _own_page(request.query_params.get("from", ""), path) or f"{path}/"


def _own_page(address: str, path: str) -> str:
    """Return an address if it is a page of the console, else an empty text."""
    try:
        origin = urlsplit(address)
    except ValueError:
        return ""
    read = unquote(origin.path)  # as a browser does, which takes %2e for a dot
    is_local = origin.path.startswith(f"{path}/") and not origin.netloc and not origin.scheme
    if not is_local or "//" in read or "\\" in read or not {".", ".."}.isdisjoint(read.split("/")):
        return ""
    return f"{origin.path}?{origin.query}".removesuffix("?")
