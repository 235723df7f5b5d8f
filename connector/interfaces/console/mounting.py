"""Puts NiceGUI behind the gate, and starts and stops it together with the host."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui
from starlette.applications import Starlette
from starlette.routing import Route

from connector.interfaces.console import pages
from connector.interfaces.console.desk import Desk
from connector.interfaces.console.gate import Gate
from connector.interfaces.host_state import HostState

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#14545c"/>'
    '<path d="M10 7v18M10 17l11-10M14 14l8 11" stroke="#fff" stroke-width="3" fill="none"/></svg>'
)


def mount_at(app: Starlette, state: HostState, path: str) -> None:
    """Mounts the console of one host. Several hosts in one process share NiceGUI, each behind a gate of its own."""
    pages.load()
    shell = _shell()
    gate = Gate(pages_app, Desk(state, path))
    app.router.routes.append(Route(path, gate))  # the bare path, as it stands in one-time links
    app.mount(path, gate)
    host_lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Any) -> AsyncIterator[Any]:
        async with shell.router.lifespan_context(shell), host_lifespan(running) as given:
            yield given

    app.router.lifespan_context = lifespan


def _shell() -> FastAPI:
    """An application that is never served: NiceGUI takes its settings, its start and its end from one."""
    shell = FastAPI()
    if pages_app.config.has_run_config:  # another host of this process has set NiceGUI up
        shell.router.lifespan_context = pages_app.router.lifespan_context
    else:
        ui.run_with(
            shell,
            title="Kontor",
            favicon=ICON,
            dark=None,
            tailwind=False,
            show_welcome_message=False,
            reconnect_timeout=30.0,
        )
        # Quasar hands out the focus once a list has faded: one chosen from sooner takes it from the field typed into
        # by then. Nobody chooses within 100 ms; at 0 a list may stay invisible.
        ui.select.default_props("transition-duration=100")
    return shell
