"""The context of the engine's jobs: connector, database, open sessions, clock and wake-up signal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from connector.core.clock import Clock
from connector.core.heartbeat import BeatObserver
from connector.durable.held_claims import HeldClaims
from connector.durable.inbox.confirm_budget import ConfirmBudget
from connector.durable.looks import Looks
from connector.durable.open_sessions import OpenSessions
from connector.durable.poller.bank_accounts import BankAccounts
from connector.durable.poller.context import PollContext
from connector.durable.sending.sender import Sender
from connector.durable.settings import Settings
from connector.durable.shared_clock import SharedClock
from connector.runtime.session import AsyncSession

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.vault import Vault

T = TypeVar("T")


@dataclass(eq=False)
class JobContext:
    """Shared by all jobs of one host. `owner` identifies the host in its leases."""

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
    confirmations: ConfirmBudget = field(default_factory=ConfirmBudget)
    wake_count: int = 0
    approvals_checked: bool = False
    """Whether approvals that had become too old before this host started were taken back."""
    next_housekeeping: float = float("-inf")
    """When, by the monotonic clock, this host next checks for old rows to delete."""
    next_sealing: float = float("-inf")
    """When, by the monotonic clock, this host next chains entries of the audit log."""
    observer: BeatObserver = field(init=False)
    """What this host has seen of the leases of others."""
    sessions: OpenSessions = field(init=False)
    looks: Looks = field(init=False)
    """What its kinds of work ask the database to find out whether anything is due."""
    claims: HeldClaims = field(init=False)
    """The pieces of work at which this host is."""
    _sender: Sender | None = None
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.observer = BeatObserver(self.settings.dead_after)
        self.sessions = OpenSessions(self.connector, self.database, self.vault, self.clock)
        self.looks = Looks(self.database)
        self.claims = HeldClaims(self)

    def now(self) -> datetime:
        """Return the current date and time in UTC, on which all hosts agree."""
        return self.clock.utcnow()

    def own_now(self) -> datetime:
        """Return the date and time in UTC by this host's own clock, for those who are not our hosts."""
        return self.clock.own.utcnow() if isinstance(self.clock, SharedClock) else self.clock.utcnow()

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Query the database in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.database.read, query)

    async def write(self, change: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Commit a change; returns when it is on disk, or if it need not be `durable`, safe from a crash."""
        return await asyncio.wrap_future(self.database.write(change, durable=durable))

    def claim_ends(self) -> datetime:
        """Return until when a claim made now keeps other hosts away, if no heartbeat prolongs it."""
        return self.now() + timedelta(seconds=self.settings.dead_after / 2)

    async def session(self, credential_id: str) -> AsyncSession:
        """Return the credential's session, reused until the credential changes."""
        return await self.sessions.get(credential_id)

    def sender(self) -> Sender:
        """Return what sends deliveries, opened on first use."""
        if self._sender is None:
            self._sender = Sender(allow_private=self.allow_private_targets)
        return self._sender

    def poll_context(self, session: AsyncSession) -> PollContext:
        """Return the context of polls in a session."""
        return PollContext(self.connector, self.database, session, self.owner, self.clock, self.settings, self.observer)

    def wake(self) -> None:
        """Make the engine look for due work now instead of at its next round."""
        self.wake_count += 1
        self.look_again()

    def look_again(self) -> None:
        """The same, but not counted as news, many of which make the engine look less often."""
        self._woken.set()

    async def sleep_until_woken(self, seconds: float) -> bool:
        """Wait for `seconds` of the clock or until `wake` is called; return whether it was."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.clock.real(seconds)):
                await self._woken.wait()
        woken = self._woken.is_set()
        self._woken.clear()
        return woken

    async def aclose(self) -> None:
        """Close all sessions and connections."""
        await self.claims.stop()
        await self.sessions.aclose()
        sender, self._sender = self._sender, None
        if sender is not None:
            await sender.aclose()
