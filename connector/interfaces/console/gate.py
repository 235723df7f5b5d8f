"""The console's gate: asks for the host token once, takes the one-time link, and keeps everybody else out."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connector.core.messages import LANGUAGES
from connector.interfaces.console import access, login_page
from connector.interfaces.console.desk import Desk
from connector.interfaces.console.localizer import Localizer

LANGUAGE, THEME = "kontor_language", "kontor_theme"
"""Cookies of taste, not of access."""
THEMES = ("auto", "light", "dark")
YEAR = 365 * 24 * 3600
DESK = "kontor.desk"
"""Where the pages find the desk in a request's scope."""
MOST_FORM_BYTES = 4096
GUARDS = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
}


class Gate:
    """Stands before all pages, assets and sockets of the console."""

    def __init__(self, pages: ASGIApp, desk: Desk) -> None:
        self._pages = pages
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] not in {"http", "websocket"}:
            return
        caller = HTTPConnection(scope)
        if self._is_known(caller):
            await self._let_in(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4401})
        else:
            answer = await self._ask(Request(scope, receive))
            answer.headers.update(GUARDS)
            await answer(scope, receive, send)

    def _is_known(self, caller: HTTPConnection) -> bool:
        return access.is_good(self._desk.state.host_token, caller.cookies.get(access.NAME, ""), time.time())

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            answer = self._choice(Request(scope))
            if answer is not None:
                await answer(scope, receive, send)
                return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(GUARDS)
            await send(message)

        await self._pages({**scope, DESK: self._desk}, receive, guarded)

    async def _ask(self, request: Request) -> Response:
        """Everything that a stranger gets: the login page, or entry."""
        localize = localizer_of(request)
        given = request.query_params.get("token")
        if request.method == "POST" and self._place(request) == "/login":
            given = await _given_token(request)
        if given is None:
            return HTMLResponse(login_page.ask(localize, self._desk.path), status_code=401)
        state = self._desk.state
        if not (state.redeem_login_token(given) or (request.method == "POST" and state.is_host_token(given))):
            return HTMLResponse(login_page.ask(localize, self._desk.path, refused=True), status_code=403)
        # A page instead of a redirect: a strict cookie does not travel with a redirect that began on another site.
        answer = HTMLResponse(login_page.welcome(localize, self._desk.path))
        self._remember(answer, request, access.NAME, access.issue(state.host_token, time.time()), access.SECONDS)
        return answer

    def _choice(self, request: Request) -> Response | None:
        """Leaving, and choosing a language or a theme: small links that set a cookie and come back."""
        place = self._place(request)
        back = RedirectResponse(_back(request, self._desk.path), status_code=303)
        if place == "/leave":
            back.delete_cookie(access.NAME, path=self._desk.path)
            return back
        for name, prefix, choices in ((LANGUAGE, "/language/", LANGUAGES), (THEME, "/theme/", THEMES)):
            if place.startswith(prefix) and place.removeprefix(prefix) in choices:
                self._remember(back, request, name, place.removeprefix(prefix), YEAR)
                return back
        link = request.query_params.get("token") is not None  # an old one, in the hands of somebody who is in already
        if link or not place:
            return RedirectResponse(self._desk.path + "/", status_code=303)
        return None

    def _place(self, request: Request) -> str:
        return request.url.path.removeprefix(self._desk.path)

    def _remember(self, answer: Response, request: Request, name: str, value: str, seconds: int) -> None:
        secure = request.url.scheme == "https"
        answer.set_cookie(
            name, value, max_age=seconds, path=self._desk.path, httponly=True, samesite="strict", secure=secure
        )


def localizer_of(request: HTTPConnection) -> Localizer:
    """The language that this browser has chosen, asks for, or the host speaks."""
    return Localizer.chosen(request.cookies.get(LANGUAGE), request.headers.get("accept-language"))


def theme_of(request: HTTPConnection) -> str:
    """The theme that this browser has chosen."""
    theme = request.cookies.get(THEME, "auto")
    return theme if theme in THEMES else "auto"


async def _given_token(request: Request) -> str:
    from urllib.parse import parse_qs

    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM_BYTES:
            return ""
    return parse_qs(body.decode("latin-1")).get("token", [""])[0].strip()


def _back(request: Request, path: str) -> str:
    """The page that the link was on, if it is one of ours."""
    came_from = urlsplit(request.query_params.get("from", ""))
    fits = came_from.path.startswith(f"{path}/") and not came_from.netloc and not came_from.scheme
    return came_from.path if fits and "//" not in came_from.path and "\\" not in came_from.path else f"{path}/"
