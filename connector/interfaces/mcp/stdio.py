"""MCP over stdin and stdout, with the environment's credential. Nothing else may write to stdout."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from mcp.server.stdio import stdio_server

from connector.core.credential import Credential
from connector.interfaces.mcp.http import QUELLE
from connector.interfaces.mcp.server import build_server
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession


def serve(connector: Connector, env: Mapping[str, str], lang: str) -> None:
    """Serves until stdin ends."""
    asyncio.run(_serve(connector, env, lang))


async def _serve(connector: Connector, env: Mapping[str, str], lang: str) -> None:
    async with AsyncExitStack() as stack:
        server = build_server(connector, _one_session(connector, env, stack), lang)
        read, write = await stack.enter_async_context(stdio_server())
        await server.run(read, write, server.create_initialization_options())


def _one_session(connector: Connector, env: Mapping[str, str], stack: AsyncExitStack) -> Any:
    """The session for all calls, opened by the first: without a credential the tools can still be listed, and the
    call says what is missing."""
    kept: list[AsyncSession] = []

    @asynccontextmanager
    async def opened(request: Any) -> AsyncIterator[AsyncSession]:
        if not kept:
            credential = Credential.from_env(env)
            if not env.get("KONTOR_QUELLE", "").strip():
                credential = replace(credential, quelle=QUELLE)
            session = await connector.open(credential, flow=QUELLE).__aenter__()
            stack.push_async_callback(session.aclose)
            kept.append(session)
        yield kept[0]

    return opened
