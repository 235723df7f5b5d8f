"""What the pages work with: the host, and the one credential that the console shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from connector.core.credential import Credential
from connector.durable.poller.context import PollContext
from connector.interfaces.host_state import HostState
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession
from connector.store import credentials

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")


class NoCredential(Exception):
    """Nobody has told the console a key yet."""


class Desk:
    """One per mounted console."""

    def __init__(self, state: HostState, path: str) -> None:
        self.state = state
        self.path = path
        """Where the console is mounted, for links."""
        self._finding = asyncio.Lock()
        self._credential_id: str | None = None

    @property
    def connector(self) -> Connector:
        """All that Kontor can do."""
        return self.state.connector

    @property
    def host_url(self) -> str:
        """Where callers reach the host, for what people copy."""
        settings = self.state.settings
        return (self.state.public_url or f"http://{settings.host}:{settings.port}").rstrip("/")

    async def credential_id(self) -> str:
        """The credential that the console shows: the host's own, or else the latest that was kept."""
        async with self._finding:
            if self._credential_id is None:
                own = self.state.settings.own_credential
                if own is not None:
                    self._credential_id = await self._keep(own)
                else:
                    kept = [one for one in await self.read(credentials.listed) if one.revoked_at is None]
                    if not kept:
                        raise NoCredential
                    self._credential_id = kept[-1].id
            return self._credential_id

    async def use(self, credential: Credential) -> None:
        """Takes a credential that somebody has typed in; its key is sealed before it is kept."""
        async with self._finding:
            self._credential_id = await self._keep(credential)

    async def _keep(self, credential: Credential) -> str:
        now, vault = self.state.context.now(), self.state.vault
        return await self.write(lambda connection: credentials.save(connection, vault, credential, now))

    async def session(self) -> AsyncSession:
        """The credential's open session, shared with the engine."""
        return await self.state.context.session(await self.credential_id())

    async def poll_work(self) -> PollContext:
        """What a poll by hand needs."""
        context = self.state.context
        session = await self.session()
        return PollContext(self.connector, self.state.database, session, context.owner, context.clock, context.settings)

    async def read(self, question: Callable[[Connection], T]) -> T:
        """Asks the store."""
        return await self.state.context.read(question)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Changes the store."""
        return await self.state.context.write(change)
