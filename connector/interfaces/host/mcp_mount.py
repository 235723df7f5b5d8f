"""Mounts the MCP server at `/mcp`, with the same token check and API keys as the REST routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request

from connector.interfaces.host.services import HostServices
from connector.runtime.session import AsyncSession

PATH = "/mcp"


def has_mcp() -> bool:
    """Whether the `mcp` extra is installed."""
    return all(find_spec(name) is not None for name in ("connector.interfaces.mcp", "mcp"))


def mount(app: Starlette, services: HostServices) -> None:
    """Add the MCP route and tie its lifespan to the host's."""
    from connector.interfaces.mcp.http import http_app

    @asynccontextmanager
    async def open_session(request: Request) -> AsyncIterator[AsyncSession]:
        async with services.sessions.acquire(await services.caller(request)) as session:
            yield session

    inner = http_app(services.state.connector, open_session=open_session, path=PATH)
    app.router.routes.extend(inner.router.routes)
    host_lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Any) -> AsyncIterator[Any]:
        async with host_lifespan(running) as given, inner.router.lifespan_context(inner):
            yield given

    app.router.lifespan_context = lifespan
