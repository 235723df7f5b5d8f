"""ASGI middleware: requires a login by host token or one-time link for the console."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core.messages import LANGUAGES
from connector.interfaces.console import login_cookie, login_page
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.localizer import Localizer

LANGUAGE_COOKIE, THEME_COOKIE = "kontor_language", "kontor_theme"
"""Preference cookies."""
THEMES = ("auto", "light", "dark")
YEAR_SECONDS = 365 * 24 * 3600
SCOPE_KEY = "kontor.console"
"""Key of the ConsoleContext in the ASGI scope."""
MAX_FORM_BYTES = 4096
SECURITY_HEADERS = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
}


class LoginMiddleware:
    """Protects all pages, assets and websockets of the console."""

    def __init__(self, pages: ASGIApp, console: ConsoleContext) -> None:
        self._pages = pages
        self._console = console

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a logged-in request, or respond with the login page."""
        if scope["type"] not in {"http", "websocket"}:
            return
        connection = HTTPConnection(scope)
        if self._is_logged_in(connection):
            await self._forward(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4401})
        else:
            response = await self._login(Request(scope, receive))
            response.headers.update(SECURITY_HEADERS)
            await response(scope, receive, send)

    def _is_logged_in(self, connection: HTTPConnection) -> bool:
        return login_cookie.is_valid(
            self._console.state.host_token, connection.cookies.get(login_cookie.COOKIE_NAME, ""), time.time()
        )

    async def _forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            response = self._handle_link(Request(scope))
            if response is not None:
                await response(scope, receive, send)
                return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await self._pages({**scope, SCOPE_KEY: self._console}, receive, send_with_headers)

    async def _login(self, request: Request) -> Response:
        """Return the login page, or log in with a valid token."""
        localize = localizer_of(request)
        token = request.query_params.get("token")
        if request.method == "POST" and self._subpath(request) == "/login":
            token = await _posted_token(request)
        if token is None:
            return HTMLResponse(login_page.login_form(localize, self._console.path), status_code=401)
        state = self._console.state
        if not (state.redeem_login_token(token) or (request.method == "POST" and state.is_host_token(token))):
            return HTMLResponse(login_page.login_form(localize, self._console.path, refused=True), status_code=403)
        # A page instead of a redirect: a SameSite=strict cookie is not sent on a redirect that began on another site.
        response = HTMLResponse(login_page.redirect_page(localize, self._console.path))
        self._set_cookie(
            response,
            request,
            login_cookie.COOKIE_NAME,
            login_cookie.issue(state.host_token, time.time()),
            login_cookie.MAX_AGE_SECONDS,
        )
        return response

    def _handle_link(self, request: Request) -> Response | None:
        """Handle logout, language and theme links, which set a cookie and redirect."""
        subpath = self._subpath(request)
        response = RedirectResponse(_return_path(request, self._console.path), status_code=303)
        if subpath == "/leave":
            response.delete_cookie(login_cookie.COOKIE_NAME, path=self._console.path)
            return response
        for name, prefix, choices in ((LANGUAGE_COOKIE, "/language/", LANGUAGES), (THEME_COOKIE, "/theme/", THEMES)):
            if subpath.startswith(prefix) and subpath.removeprefix(prefix) in choices:
                self._set_cookie(response, request, name, subpath.removeprefix(prefix), YEAR_SECONDS)
                return response
        has_token = request.query_params.get("token") is not None  # a one-time link, opened by a logged-in user
        if has_token or not subpath:
            return RedirectResponse(self._console.path + "/", status_code=303)
        return None

    def _subpath(self, request: Request) -> str:
        return request.url.path.removeprefix(self._console.path)

    def _set_cookie(self, response: Response, request: Request, name: str, value: str, seconds: int) -> None:
        secure = request.url.scheme == "https"
        response.set_cookie(
            name, value, max_age=seconds, path=self._console.path, httponly=True, samesite="strict", secure=secure
        )


def localizer_of(request: HTTPConnection) -> Localizer:
    """Choose the language by cookie, browser or host default."""
    return Localizer.from_request(request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language"))


def theme_of(request: HTTPConnection) -> str:
    """Return the theme chosen by cookie."""
    theme = request.cookies.get(THEME_COOKIE, "auto")
    return theme if theme in THEMES else "auto"


async def _posted_token(request: Request) -> str:
    from urllib.parse import parse_qs

    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            return ""
    return parse_qs(body.decode("latin-1")).get("token", [""])[0].strip()


def _return_path(request: Request, path: str) -> str:
    """Return the `from` path if it belongs to the console, else the start page."""
    origin = urlsplit(request.query_params.get("from", ""))
    is_local = origin.path.startswith(f"{path}/") and not origin.netloc and not origin.scheme
    return origin.path if is_local and "//" not in origin.path and "\\" not in origin.path else f"{path}/"
