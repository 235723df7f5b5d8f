"""The state shared by all pages: the host and the credential in use."""

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
    """The console has no credential yet."""


class ConsoleContext:
    """The context of one mounted console."""

    def __init__(self, state: HostState, path: str) -> None:
        self.state = state
        self.path = path
        """The mount path, for links."""
        self._lock = asyncio.Lock()
        self._credential_id: str | None = None

    @property
    def connector(self) -> Connector:
        """The host's connector."""
        return self.state.connector

    @property
    def host_url(self) -> str:
        """The host's URL, for code snippets."""
        settings = self.state.settings
        return (self.state.public_url or f"http://{settings.host}:{settings.port}").rstrip("/")

    async def credential_id(self) -> str:
        """The id of the credential in use: the host's own, or else the latest stored one."""
        async with self._lock:
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
        """Store a credential, encrypted, and use it."""
        async with self._lock:
            self._credential_id = await self._keep(credential)

    async def _keep(self, credential: Credential) -> str:
        now, vault = self.state.context.now(), self.state.vault
        return await self.write(lambda connection: credentials.save(connection, vault, credential, now))

    async def session(self) -> AsyncSession:
        """The credential's open session, shared with the engine."""
        return await self.state.context.session(await self.credential_id())

    async def poll_work(self) -> PollContext:
        """The arguments of a manual poll."""
        return self.state.context.poll_context(await self.session())

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query on the store."""
        return await self.state.context.read(query)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Run a change on the store."""
        return await self.state.context.write(change)
