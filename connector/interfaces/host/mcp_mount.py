"""MCP at `/mcp`: the same actions for agents, behind the same door and under the same callers' keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request

from connector.interfaces.host.parts import HostParts
from connector.runtime.session import AsyncSession

PATH = "/mcp"


def has_mcp() -> bool:
    """Whether what MCP needs is installed."""
    return all(find_spec(name) is not None for name in ("connector.interfaces.mcp", "mcp"))


def mount(app: Starlette, parts: HostParts) -> None:
    """Adds the route to the host's own, and has MCP live as long as the host."""
    from connector.interfaces.mcp.http import http_app

    def opened(request: Request) -> AbstractAsyncContextManager[AsyncSession]:
        return parts.sessions.of(parts.caller(request))

    inner = http_app(parts.state.connector, open_session=opened, path=PATH)
    app.router.routes.extend(inner.router.routes)
    own = app.router.lifespan_context

    @asynccontextmanager
    async def living(running: Any) -> AsyncIterator[Any]:
        async with own(running) as given, inner.router.lifespan_context(inner):
            yield given

    app.router.lifespan_context = living
