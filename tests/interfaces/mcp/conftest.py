"""Fixtures: an MCP server in this process, connected to the sandbox on a real socket."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from connector import Connector, Credential
from connector.interfaces.mcp import build_server


@pytest.fixture
def connector(tmp_path):
    connector = Connector(str(tmp_path))
    yield connector
    connector.close()


@pytest.fixture
def server(sandbox, connector):
    sandbox.order("/limits", limit=1_000_000)

    @asynccontextmanager
    async def opened(request):
        async with connector.open(Credential(sandbox.url, "sandbox-key", quelle="mcp")) as session:
            yield session

    return build_server(connector, opened)
