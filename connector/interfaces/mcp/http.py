"""MCP over HTTP, to be mounted by the host: each request brings the service's key in `x-api-key`.

The host mounts what `http_app` gives at `/mcp`, puts its own token before it, and enters
`app.router.lifespan_context(app)` in its own lifespan, because a mounted application's is not entered by itself.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from connector.core.credential import Credential
from connector.core.wire import Wire
from connector.interfaces.mcp.calls import OpenSession
from connector.interfaces.mcp.server import build_server
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession

QUELLE = "mcp"
MOST_BODY = 32 * 1024 * 1024


def http_app(
    connector: Connector, *, open_session: OpenSession | None = None, lang: str = "en", path: str = "/"
) -> Starlette:
    """The application. `open_session` gets the Starlette request, and gives the session for the key it carries."""
    server = build_server(connector, open_session or sessions_by_header(connector), lang)
    # No state is kept between requests, so that any of several hosts may answer any of them. Whoever mounts this asks
    # for a token, which a web page of somebody else's cannot send: host names need not be checked as well.
    return server.streamable_http_app(
        streamable_http_path=path,
        json_response=False,
        stateless_http=True,
        max_request_body_size=MOST_BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def sessions_by_header(connector: Connector, base_url: str | None = None) -> OpenSession:
    """Opens a session for the key in the request's `x-api-key`, at the service that `KONTOR_BASE_URL` names."""

    @asynccontextmanager
    async def opened(request: Any) -> AsyncIterator[AsyncSession]:
        credential = Credential(
            base_url=base_url or os.environ.get("KONTOR_BASE_URL", ""),
            api_key=request.headers.get("x-api-key", ""),
            quelle=request.headers.get("x-kontor-quelle", QUELLE),
            wire=Wire.load(),
        )
        async with connector.open(credential, flow=QUELLE) as session:
            yield session

    return opened
