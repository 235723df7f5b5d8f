"""MCP over stdin and stdout, with the environment's credential; nothing else may write to stdout."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server

from connector.core.service.credential import Credential
from connector.interfaces.mcp.ambiguous_messages import UnambiguousLines
from connector.interfaces.mcp.http import QUELLE
from connector.interfaces.mcp.server import build_server
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession


def serve(connector: Connector, env: Mapping[str, str], lang: str, *, read_only: bool = False) -> None:
    """Serve until stdin ends."""
    asyncio.run(_serve(connector, env, lang, read_only))


async def _serve(connector: Connector, env: Mapping[str, str], lang: str, read_only: bool) -> None:
    async with AsyncExitStack() as stack:
        server = build_server(connector, _shared_session(connector, env, stack), lang, read_only=read_only)
        lines = UnambiguousLines(lang)
        read, lines.replies = await stack.enter_async_context(stdio_server(cast("anyio.AsyncFile[str]", lines)))
        await server.run(read, lines.replies, server.create_initialization_options())


def _shared_session(connector: Connector, env: Mapping[str, str], stack: AsyncExitStack) -> Any:
    """Return a function that opens one session for all calls on first use, so that tools can be listed without a
    credential."""
    sessions: list[AsyncSession] = []

    @asynccontextmanager
    async def open_session(request: Any) -> AsyncIterator[AsyncSession]:
        if not sessions:
            credential = Credential.from_env(env)
            if not env.get("KONTOR_QUELLE", "").strip():
                credential = replace(credential, quelle=QUELLE)
            session = await connector.open(credential, flow=QUELLE).__aenter__()
            stack.push_async_callback(session.aclose)
            sessions.append(session)
        yield sessions[0]

    return open_session
