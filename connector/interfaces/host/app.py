"""The application: all routes behind the door, the engine running beside them for as long as it lives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from importlib.util import find_spec

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Lifespan

from connector.interfaces.host import mcp_mount
from connector.interfaces.host.answers import Answer, answer
from connector.interfaces.host.demo import keep_events_flowing
from connector.interfaces.host.door import Door, refused
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.parts import HostParts
from connector.interfaces.host.refusals import MethodNotAllowed, no_route
from connector.interfaces.host.routes.about import About
from connector.interfaces.host.routes.calls import Calls
from connector.interfaces.host.routes.credentials import Credentials
from connector.interfaces.host.routes.description import OpenApi
from connector.interfaces.host.routes.health import Health
from connector.interfaces.host.routes.hooks import Hooks
from connector.interfaces.host.routes.polls import Polls
from connector.interfaces.host.routes.subscriptions import Subscriptions
from connector.interfaces.host_state import HostState
from connector.version import __version__

CONSOLE = "/console"
log = logging.getLogger("kontor.host")


def build(state: HostState) -> Door:
    """The whole host as one ASGI application."""
    parts = HostParts.of(state)
    hooks = Hooks(parts)
    app = Starlette(
        routes=[
            *Calls(parts).routes(),
            *hooks.routes(),
            *Polls(parts).routes(),
            *About(parts).routes(),
            *Subscriptions(parts).routes(),
            *Credentials(parts).routes(),
            *Health(parts).routes(),
            *OpenApi(state).routes(),
        ],
        exception_handlers={HTTPException: _not_routed},
        lifespan=_living(parts),
    )
    app.router.redirect_slashes = False
    door = Door(app, hooks.short_way, state, parts.metrics)
    if mcp_mount.has_mcp():
        mcp_mount.mount(app, parts)
    if state.settings.console and has_console():
        from connector.interfaces.console import mount

        mount(app, state)
        door.console_path = CONSOLE
        app.router.routes.append(route("/", "GET", _to_console))
    else:
        app.router.routes.append(route("/", "GET", _root))
    return door


def has_console() -> bool:
    """Whether the console and what it is made of are installed."""
    return find_spec("connector.interfaces.console") is not None and find_spec("nicegui") is not None


def _living(parts: HostParts) -> Lifespan[Starlette]:
    @contextlib.asynccontextmanager
    async def live(app: Starlette) -> AsyncIterator[None]:
        state = parts.state
        state.engine_task = asyncio.create_task(state.engine.run(), name="kontor-engine")
        state.engine_task.add_done_callback(_engine_ended)
        beside = [asyncio.create_task(parts.sessions.sweep(), name="kontor-sessions")]
        if state.sandboxed:
            beside.append(asyncio.create_task(keep_events_flowing(state), name="kontor-demo"))
        try:
            yield
        finally:
            state.closing = True
            for task in beside:
                task.cancel()
            await state.engine.stop()
            await asyncio.gather(state.engine_task, parts.callbacks.aclose(), *beside, return_exceptions=True)
            await parts.sessions.aclose()

    return live


def _engine_ended(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the engine has stopped: %s", type(error).__name__, exc_info=error)


async def _not_routed(request: Request, error: Exception) -> Response:
    """No route takes this request: which part of it does not fit."""
    assert isinstance(error, HTTPException)  # registered for nothing else
    if error.status_code != 405:
        return refused(no_route())
    told = refused(MethodNotAllowed(request.method))
    told.headers["allow"] = ", ".join(_methods(request))
    return told


def _methods(request: Request) -> list[str]:
    """What this address takes, of all routes that share it."""
    found: set[str] = set()
    for one in request.app.routes:
        regex, methods = getattr(one, "path_regex", None), getattr(one, "methods", None)
        if regex is not None and methods and regex.match(request.url.path):
            found |= methods
    return sorted(found)


async def _root(request: Request) -> Answer:
    """Where things are."""
    return answer({"ok": True, "name": "kontor", "version": __version__, "openapi": "/openapi.json"})


async def _to_console(request: Request) -> Answer:
    """People want the console."""
    return RedirectResponse(CONSOLE, 303)
