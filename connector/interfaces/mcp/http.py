"""MCP over HTTP for the host; each request carries the API key in `x-api-key`.

The host mounts `http_app` at `/mcp` behind its token check, and enters `app.router.lifespan_context(app)` itself,
because Starlette does not enter the lifespan of mounted applications.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Route

from connector.core import limits
from connector.core.service.credential import Credential
from connector.core.service.wire import Wire
from connector.interfaces.mcp.ambiguous_messages import UnambiguousBodies
from connector.interfaces.mcp.server import build_server
from connector.interfaces.mcp.tool_calls import OpenSession
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession

QUELLE = "mcp"


def http_app(
    connector: Connector, *, open_session: OpenSession | None = None, lang: str = "en", path: str = "/"
) -> Starlette:
    """Build the application; `open_session` opens the session for a Starlette request."""
    server = build_server(connector, open_session or sessions_by_header(connector), lang)
    # Stateless, so that any of several hosts may handle a request. The host requires a token, which a foreign web page
    # cannot send, so DNS rebinding protection is not needed.
    app = server.streamable_http_app(
        streamable_http_path=path,
        json_response=False,
        stateless_http=True,
        max_request_body_size=limits.MAX_MCP_BODY_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    for route in app.router.routes:
        if isinstance(route, Route):
            route.app = UnambiguousBodies(route.app, lang, limits.MAX_MCP_BODY_BYTES)
    return app


def sessions_by_header(connector: Connector, base_url: str | None = None) -> OpenSession:
    """Return a function that opens a session with the request's `x-api-key` and `KONTOR_BASE_URL`."""

    @asynccontextmanager
    async def open_by_header(request: Any) -> AsyncIterator[AsyncSession]:
        credential = Credential(
            base_url=base_url or os.environ.get("KONTOR_BASE_URL", ""),
            api_key=request.headers.get("x-api-key", ""),
            quelle=request.headers.get("x-kontor-quelle", QUELLE),
            wire=Wire.load(),
        )
        async with connector.open(credential, flow=QUELLE) as session:
            yield session

    return open_by_header
