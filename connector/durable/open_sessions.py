"""The sessions of stored credentials: opened when needed, reused, and let go again where there are many."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from connector.runtime.session import AsyncSession
from connector.store import credentials

if TYPE_CHECKING:
    from connector.client import KeyState
    from connector.core.clock import Clock
    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.vault import Vault

MAX_OPEN = 256
"""Sessions beyond this are closed, the longest unused first; opening one again costs less than a request."""


class OpenSessions:
    """The open sessions of one host, by credential id."""

    def __init__(self, connector: Connector, database: Database, vault: Vault, clock: Clock) -> None:
        self._connector, self._database, self._vault, self._clock = connector, database, vault, clock
        self._open: OrderedDict[str, tuple[str, AsyncSession]] = OrderedDict()
        """Each with the credential's version at which it was opened."""
        self._lock = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._open)

    async def get(self, credential_id: str) -> AsyncSession:
        """Return the credential's session; a new one when the credential has changed."""
        read = self._database.read
        version = await asyncio.to_thread(
            read, lambda connection: credentials.session_version(connection, credential_id)
        )
        if (usable := self._usable(credential_id, version)) is not None:
            return usable
        async with self._lock:
            if (usable := self._usable(credential_id, version)) is not None:
                return usable
            credential = await asyncio.to_thread(
                read, lambda connection: credentials.open_credential(connection, self._vault, credential_id)
            )
            stale = self._open.pop(credential_id, None)
            session = await self._connector.open(credential, clock=self._clock).__aenter__()
            self._open[credential_id] = (version, session)
        if stale is not None:
            await stale[1].aclose()
        await self._let_go()
        return session

    def key_states(self) -> dict[str, KeyState]:
        """Return the rate limiters and credit ledgers of the open sessions, by the fingerprints of their keys."""
        return {session.credential.fingerprint: session.state for _, session in self._open.values()}

    async def aclose(self) -> None:
        """Close all sessions."""
        sessions, self._open = self._open, OrderedDict()
        for _, session in sessions.values():
            await session.aclose()

    def _usable(self, credential_id: str, version: str) -> AsyncSession | None:
        kept = self._open.get(credential_id)
        if kept is None or kept[0] != version:
            return None
        self._open.move_to_end(credential_id)
        return kept[1]

    async def _let_go(self) -> None:
        idle = [id for id, (_, session) in self._open.items() if session.in_progress == 0]
        for id in idle[: max(0, len(self._open) - MAX_OPEN)]:
            if (kept := self._open.pop(id, None)) is not None:
                await kept[1].aclose()  # whoever still has it can go on: it connects again
