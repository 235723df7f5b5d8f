"""Mounts NiceGUI behind the login middleware and ties its lifespan to the host's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import client, ui
from starlette.applications import Starlette
from starlette.routing import Route

from connector.interfaces.console import pages
from connector.interfaces.console.login.content_policy import mark_scripts
from connector.interfaces.console.login.middleware import LoginMiddleware
from connector.interfaces.host_state import HostState

FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#14545c"/>'
    '<path d="M10 7v18M10 17l11-10M14 14l8 11" stroke="#fff" stroke-width="3" fill="none"/></svg>'
)


def mount_at(app: Starlette, state: HostState, path: str) -> None:
    """Mount the console of one host; several hosts in one process share NiceGUI, each with its own login."""
    pages.load()
    nicegui_app = _nicegui_app()
    middleware = LoginMiddleware(pages_app, state, path)
    app.router.routes.append(Route(path, middleware))  # one-time links use the path without a slash
    app.mount(path, middleware)
    host_lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Any) -> AsyncIterator[Any]:
        async with nicegui_app.router.lifespan_context(nicegui_app), host_lifespan(running) as given:
            yield given

    app.router.lifespan_context = lifespan


def _nicegui_app() -> FastAPI:
    """Return an application that is never served; NiceGUI takes settings and lifespan from it."""
    nicegui_app = FastAPI()
    if pages_app.config.has_run_config:  # already configured by another host of this process
        nicegui_app.router.lifespan_context = pages_app.router.lifespan_context
    else:
        ui.run_with(
            nicegui_app,
            title="Kontor",
            favicon=FAVICON,
            dark=None,
            tailwind=False,
            show_welcome_message=False,
            reconnect_timeout=30.0,
        )
        # Quasar moves the focus after the fade-out of a list, which steals it from the field typed into by then.
        # 100 ms is shorter than any user; at 0 a list may stay invisible.
        ui.select.default_props("transition-duration=100")
        mark_scripts(client.templates)
    return nicegui_app
