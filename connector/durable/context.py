"""What every job of the engine works with: the connector, the store, open sessions, a clock and a way to be woken."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from connector.core.clock import Clock
from connector.durable.poller.bank_accounts import BankAccounts
from connector.durable.settings import Settings
from connector.runtime.session import AsyncSession
from connector.store import credentials

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.vault import Vault

T = TypeVar("T")
EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(eq=False)
class JobContext:
    """Shared by all jobs of one host. `owner` names that host in its leases."""

    connector: Connector
    database: Database
    vault: Vault
    owner: str
    public_url: str | None = None
    allow_private_targets: bool = False
    allow_loopback_hooks: bool = False
    clock: Clock = field(default_factory=Clock)
    settings: Settings = field(default_factory=Settings)
    bank_accounts: BankAccounts = field(default_factory=BankAccounts)
    times_woken: int = 0
    housekeeping_at: datetime = EVER
    """When this host looks again whether anything is to be forgotten."""
    _sessions: dict[str, tuple[str, AsyncSession]] = field(default_factory=dict)
    """By credential id, with the sealed key they were opened with."""
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def now(self) -> datetime:
        """The calendar's time, in UTC."""
        return self.clock.utcnow()

    async def read(self, question: Callable[[Connection], T]) -> T:
        """Asks the store without holding up the loop."""
        return await asyncio.to_thread(self.database.read, question)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Changes the store; done when it is on disk."""
        return await asyncio.wrap_future(self.database.write(change))

    async def session(self, credential_id: str) -> AsyncSession:
        """The credential's session, opened once and kept. A key that was replaced since is opened anew."""
        async with self._opening:
            sealed = await self.read(lambda connection: credentials.session_version(connection, credential_id))
            kept = self._sessions.get(credential_id)
            if kept is not None and kept[0] == sealed:
                return kept[1]
            credential = await self.read(
                lambda connection: credentials.open_credential(connection, self.vault, credential_id)
            )
            if kept is not None:
                await kept[1].aclose()
            session = await self.connector.open(credential, clock=self.clock).__aenter__()
            self._sessions[credential_id] = (sealed, session)
            return session

    def wake(self) -> None:
        """Lets the engine look for work at once instead of at its next round."""
        self.times_woken += 1
        self._woken.set()

    async def sleep_until_woken(self, seconds: float) -> bool:
        """Waits for `seconds` of the clock, or until somebody calls `wake`; says whether somebody did."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.clock.real(seconds)):
                await self._woken.wait()
        woken = self._woken.is_set()
        self._woken.clear()
        return woken

    async def aclose(self) -> None:
        """Closes all sessions."""
        sessions, self._sessions = self._sessions, {}
        for _, session in sessions.values():
            await session.aclose()
