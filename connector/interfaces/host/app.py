"""Builds the ASGI application: routes, auth middleware, and the engine as a background task."""

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
from connector.interfaces.host.auth_middleware import AuthMiddleware
from connector.interfaces.host.demo import keep_webhook_registered
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.error_response import error_response
from connector.interfaces.host.errors import MethodNotAllowed, route_not_found
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.routes.administration import AdministrationRoutes
from connector.interfaces.host.routes.audit import AuditRoutes
from connector.interfaces.host.routes.calls import CallRoutes
from connector.interfaces.host.routes.credentials import CredentialRoutes
from connector.interfaces.host.routes.credits import CreditRoutes
from connector.interfaces.host.routes.health import HealthRoutes
from connector.interfaces.host.routes.hooks import HookRoutes
from connector.interfaces.host.routes.manifests import ManifestRoutes
from connector.interfaces.host.routes.openapi import OpenApiRoutes
from connector.interfaces.host.routes.polls import PollRoutes
from connector.interfaces.host.routes.runs import RunRoutes
from connector.interfaces.host.routes.subscriptions import SubscriptionRoutes
from connector.interfaces.host.services import HostServices
from connector.interfaces.host_state import HostState
from connector.version import __version__

CONSOLE = "/console"
log = logging.getLogger("kontor.host")


def build(state: HostState) -> AuthMiddleware:
    """Return the host as one ASGI application."""
    services = HostServices.of(state)
    hooks = HookRoutes(services)
    app = Starlette(
        routes=[
            *CallRoutes(services).routes(),
            *hooks.routes(),
            *PollRoutes(services).routes(),
            *ManifestRoutes(services).routes(),
            *SubscriptionRoutes(services).routes(),
            *CredentialRoutes(services).routes(),
            *RunRoutes(services).routes(),
            *CreditRoutes(services).routes(),
            *AdministrationRoutes(services).routes(),
            *HealthRoutes(services).routes(),
            *OpenApiRoutes(state).routes(),
            *AuditRoutes(services).routes(),
        ],
        exception_handlers={HTTPException: _routing_error},
        lifespan=_lifespan(services),
    )
    app.router.redirect_slashes = False
    middleware = AuthMiddleware(app, hooks.handle_directly, state, services.metrics)
    if mcp_mount.has_mcp():
        mcp_mount.mount(app, services)
    if state.settings.console and has_console():
        from connector.interfaces.console import mount

        mount(app, state)
        middleware.console_path = CONSOLE
        app.router.routes.append(route("/", "GET", _redirect_to_console, None))
    else:
        app.router.routes.append(route("/", "GET", _root, "viewer"))
    return middleware


def has_console() -> bool:
    """Whether the console and NiceGUI are installed."""
    return find_spec("connector.interfaces.console") is not None and find_spec("nicegui") is not None


def _lifespan(services: HostServices) -> Lifespan[Starlette]:
    @contextlib.asynccontextmanager
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


def _allowed_methods(request: Request) -> list[str]:
    """The methods of all routes that match this path."""
    found: set[str] = set()
    for one in request.app.routes:
        regex, methods = getattr(one, "path_regex", None), getattr(one, "methods", None)
        if regex is not None and methods and regex.match(request.url.path):
            found |= methods
    return sorted(found)


async def _root(request: Request) -> Response:
    """Return name, version and the path of the OpenAPI document."""
    return json_response({"ok": True, "name": "kontor", "version": __version__, "openapi": "/openapi.json"})


async def _redirect_to_console(request: Request) -> Response:
    """Redirect browsers to the console."""
    return RedirectResponse(CONSOLE, 303)
