"""A pool of open client sessions, so that a caller's next request reuses its connections.

Sessions live in memory only. Idle ones are closed after some minutes, and the least recently used when there are too
many; a session in use is never closed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from connector.client import KeyState
from connector.interfaces.host.caller import Caller
from connector.interfaces.host_settings import HostSettings
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession
from connector.store import runs

log = logging.getLogger("kontor.host")
SWEEP_SECONDS = 30.0
MAX_CONCURRENT_CALLS = 32
"""Concurrent calls per key, equal to the client's connection pool. Others queue here in order; in the client's own
queue they would slow down the calls before them."""


@dataclass(slots=True, eq=False)
class _PooledSession:
    session: AsyncSession
    used_at: float
    users: int = 0
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_CONCURRENT_CALLS))


class SessionPool:
    """The client sessions of one host, in one event loop."""

    def __init__(self, connector: Connector, settings: HostSettings) -> None:
        self._connector = connector
        self._settings = settings
        self._sessions: OrderedDict[tuple[str, str, str], _PooledSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    @asynccontextmanager
    async def acquire(self, caller: Caller, *, wait_for_slot: bool = True) -> AsyncIterator[AsyncSession]:
        """Yield the caller's session; with `wait_for_slot`, wait for a free concurrency slot first."""
        pool_key = caller.pool_key
        pooled = self._sessions.get(pool_key)
        if pooled is None:
            opening = self._connector.open(caller.credential(self._settings), flow=caller.flow)
            session = await opening.__aenter__()
            pooled = self._sessions.setdefault(pool_key, _PooledSession(session, time.monotonic()))
            if pooled.session is not session:  # a concurrent request opened one first
                await session.aclose()
        pooled.users += 1
        self._sessions.move_to_end(pool_key)
        try:
            if wait_for_slot:
                async with pooled.slots:
                    yield pooled.session
            else:
                yield pooled.session
        finally:
            pooled.users -= 1
            pooled.used_at = time.monotonic()
            if len(self._sessions) > self._settings.max_sessions:
                await self._close_idle(len(self._sessions) - self._settings.max_sessions)

    def key_states(self) -> dict[str, KeyState]:
        """Rate window and credits of each key, by fingerprint."""
        return {pooled.session.credential.fingerprint: pooled.session.state for pooled in self._sessions.values()}

    async def sweep(self) -> None:
        """Periodically look for writes whose outcome is unknown, and close idle sessions."""
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, self._settings.session_idle_seconds))
            await self._look_again()
            await self._close_idle(len(self._sessions), time.monotonic() - self._settings.session_idle_seconds)

    async def _look_again(self) -> None:
        try:
            database = self._connector.database
            query = partial(runs.credentials_with_unresolved, now=datetime.now(UTC))
            unresolved = await asyncio.to_thread(database.read, query)
        except Exception as error:  # the next round tries again
            log.info("unknown writes could not be read: %s", type(error).__name__)
            return
        for pooled in list(self._sessions.values()):
            if pooled.session.credential.fingerprint in unresolved:
                pooled.users += 1
                try:
                    await pooled.session.look_again()
                except Exception as error:  # the next round tries again
                    log.info("looking for unknown writes failed: %s", type(error).__name__)
                finally:
                    pooled.users -= 1

    async def _close_idle(self, limit: int, before: float = float("inf")) -> None:
        """Close up to `limit` idle sessions, least recently used first."""
        idle = [
            pool_key for pool_key, pooled in self._sessions.items() if pooled.users == 0 and pooled.used_at <= before
        ]
        for pool_key in idle[:limit]:
            await self._sessions.pop(pool_key).session.aclose()

    async def aclose(self) -> None:
        """Close all sessions."""
        pooled, self._sessions = self._sessions, OrderedDict()
        for one in pooled.values():
            await one.session.aclose()
