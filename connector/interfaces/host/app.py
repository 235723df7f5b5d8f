"""Builds the ASGI application: routes, auth middleware, MCP, and the engine as a background task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Lifespan

from connector.core.errors import KontorError
from connector.durable.inbox import registration
from connector.interfaces.host.auth_middleware import AuthMiddleware
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.errors import MethodNotAllowed, route_not_found
from connector.interfaces.host.responses import error_response, json_response
from connector.interfaces.host.routes.calls import CallRoutes
from connector.interfaces.host.routes.health import HealthRoutes
from connector.interfaces.host.routes.hooks import HookRoutes
from connector.interfaces.host.routes.operations import OperationRoutes
from connector.interfaces.host.routes.polls import PollRoutes
from connector.interfaces.host.routes.sign_in import SignInRoutes
from connector.interfaces.host.services import HostServices
from connector.interfaces.host_state import HostState
from connector.operations import calls
from connector.runtime.session import AsyncSession
from connector.store.trust import credentials
from connector.version import __version__

CONSOLE = "/console"
log = logging.getLogger("kontor.host")
MCP = "/mcp"
CHECK_SECONDS = 300.0
"""Shorter than the engine's interval, which would release a webhook without subscriptions."""
DEMO_KEY = "sandbox-key"


def build(state: HostState) -> AuthMiddleware:
    """Return the host as one ASGI application."""
    services = HostServices.of(state)
    hooks = HookRoutes(services)
    app = Starlette(
        routes=[
            *CallRoutes(services).routes(),
            *hooks.routes(),
            *PollRoutes(services).routes(),
            *SignInRoutes(services).routes(),
            *OperationRoutes(services).routes(),
            *HealthRoutes(services).routes(),
        ],
        exception_handlers={HTTPException: _routing_error, KontorError: _refusal},
        lifespan=_lifespan(services),
    )
    app.router.redirect_slashes = False
    middleware = AuthMiddleware(app, hooks.handle_directly, state, services.metrics)
    if has_mcp():
        _mount_mcp(app, services)
    if state.settings.console and has_console():
        from connector.interfaces.console import mount

        mount(app, state)
        middleware.console_path = CONSOLE
        app.router.routes.append(route(replace(calls.show_start, role=None), _redirect_to_console))
    else:
        app.router.routes.append(route(calls.show_start, _root))
    return middleware


def has_console() -> bool:
    """Whether the console and NiceGUI are installed."""
    return find_spec("connector.interfaces.console") is not None and find_spec("nicegui") is not None


def _lifespan(services: HostServices) -> Lifespan[Starlette]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        state = services.state
        state.engine_task = asyncio.create_task(state.engine.run(), name="kontor-engine")
        state.engine_task.add_done_callback(_log_engine_failure)
        tasks = [asyncio.create_task(services.sessions.sweep(), name="kontor-sessions")]
        if state.sandboxed:
            tasks.append(asyncio.create_task(keep_webhook_registered(state), name="kontor-demo"))
        try:
            yield
        finally:
            state.closing = True
            for task in tasks:
                task.cancel()
            await state.engine.stop()
            await asyncio.gather(state.engine_task, services.callbacks.aclose(), *tasks, return_exceptions=True)
            await services.sessions.aclose()

    return lifespan


def _log_engine_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the engine has stopped: %s", type(error).__name__, exc_info=error)


async def _routing_error(request: Request, error: Exception) -> Response:
    """Return 404 or 405 for a request that no route matches."""
    assert isinstance(error, HTTPException)  # registered for this class only
    if error.status_code != 405:
        return error_response(route_not_found())
    response = error_response(MethodNotAllowed(request.method))
    response.headers["allow"] = ", ".join(_allowed_methods(request))
    return response


async def _refusal(request: Request, error: Exception) -> Response:
    """Return the answer to what the guard of a request refuses where no route of our own reads it."""
    assert isinstance(error, KontorError)  # registered for this class only
    return error_response(error)


def _allowed_methods(request: Request) -> list[str]:
    """The methods of all routes that match this path."""
    allowed: set[str] = set()
    for served in request.app.routes:
        regex, methods = getattr(served, "path_regex", None), getattr(served, "methods", None)
        if regex is not None and methods and regex.match(request.url.path):
            allowed |= methods
    return sorted(allowed)


async def _root(request: Request) -> Response:
    """Return name, version and the path of the OpenAPI document."""
    return json_response({"ok": True, "name": "kontor", "version": __version__, "openapi": "/openapi.json"})


async def _redirect_to_console(request: Request) -> Response:
    """Redirect browsers to the console."""
    return RedirectResponse(CONSOLE, 303)


def has_mcp() -> bool:
    """Whether the `mcp` extra is installed."""
    return all(find_spec(name) is not None for name in ("connector.interfaces.mcp", "mcp"))


def _mount_mcp(app: Starlette, services: HostServices) -> None:
    """Add the MCP route and tie its lifespan to the host's."""
    from connector.interfaces.mcp.http import http_app

    @asynccontextmanager
    async def open_session(request: Request) -> AsyncIterator[AsyncSession]:
        async with services.sessions.acquire(await services.caller(request)) as session:
            yield session

    inner = http_app(services.state.connector, open_session=open_session, path=MCP)
    app.router.routes.extend(inner.router.routes)
    host_lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Any) -> AsyncIterator[Any]:
        async with host_lifespan(running) as given, inner.router.lifespan_context(inner):
            yield given

    app.router.lifespan_context = lifespan


async def keep_webhook_registered(state: HostState) -> None:
    """Register the host as webhook URL of the demo credential, and renew it; never replace a foreign URL."""
    credential, context = state.settings.own_credential, state.context
    if credential is None:
        return
    now = context.now()
    id = await context.write(lambda connection: credentials.save(connection, state.vault, credential, now))
    while True:
        try:
            await registration.ensure(context, id)
        except KontorError as error:
            log.warning("the sandbox's events do not come here: %s", error.message.en)
        await asyncio.sleep(CHECK_SECONDS)
