"""The context of the engine's jobs: connector, database, sessions, clock, claims and wake-up signal.

What several kinds of work ask the database at the same moment is asked together: ten kinds ask in every round, and a
thread and a connection for each would cost more than their queries.

The sessions of stored credentials: opened when needed, reused, and let go again where there are many.

Keeps the claims of all pieces at which this host works, with one change for all of them at each heartbeat.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from connector.core.timing import BEAT_SECONDS, BeatObserver, Clock
from connector.durable.inbox.confirm_limits import ConfirmBudget
from connector.durable.poller.context import BankAccounts, PollContext
from connector.durable.sending.sender import Sender
from connector.durable.settings import Settings
from connector.runtime.session import AsyncSession
from connector.store.triggers import due_work
from connector.store.triggers.due_work import Claim
from connector.store.trust import credentials

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.client import KeyState
    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.trust.vault import Vault


T = TypeVar("T")


class BatchedReads:
    """Reads of the database that are asked at the same moment, in one event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queries: list[Callable[[Connection], Any]] = []
        """What is asked next."""
        self._next: asyncio.Task[Sequence[Any]] | None = None

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Return the result of a query, which runs together with all that are asked before the event loop goes on.

        When one of them fails, all do.
        """
        place = len(self._queries)
        self._queries.append(query)
        if self._next is None:
            self._next = asyncio.create_task(self._read_all())
        result: T = (await asyncio.shield(self._next))[place]
        return result

    async def _read_all(self) -> Sequence[Any]:
        queries, self._queries, self._next = self._queries, [], None
        return await asyncio.to_thread(self._database.read, lambda connection: [query(connection) for query in queries])


class SharedClock(Clock):
    """A host's own clock, corrected by what it differs from the clock of the host that keeps the time."""

    def __init__(self, own: Clock) -> None:
        self.own = own
        self.speed = own.speed
        self.correction = timedelta(0)

    def monotonic(self) -> float:
        """Seconds since some fixed moment, by the own clock."""
        return self.own.monotonic()

    def utcnow(self) -> datetime:
        """The date and time in UTC on which all hosts agree."""
        return self.own.utcnow() + self.correction

    def real(self, seconds: float) -> float:
        """How long to sleep in real time for `seconds` of this clock to pass."""
        return self.own.real(seconds)


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
        entry = self._open.get(credential_id)
        if entry is None or entry[0] != version:
            return None
        self._open.move_to_end(credential_id)
        return entry[1]

    async def _let_go(self) -> None:
        idle = [id for id, (_, session) in self._open.items() if session.in_progress == 0]
        for id in idle[: max(0, len(self._open) - MAX_OPEN)]:
            if (entry := self._open.pop(id, None)) is not None:
                await entry[1].aclose()  # whoever still has it can go on: it connects again


class ClaimingHost(Protocol):
    """What keeping claims needs of a host."""

    @property
    def clock(self) -> Clock:
        """The clock that times the heartbeats."""

    def claim_ends(self) -> datetime:
        """Until when a claim made now keeps other hosts away."""

    async def write(self, change: Callable[[Connection], Any]) -> Any:
        """Commit a change."""


class ClaimHeartbeat:
    """The claims of one host. Its task runs only while there are some."""

    def __init__(self, host: ClaimingHost) -> None:
        self._host = host
        self._held: set[Claim] = set()
        self._beating: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def holding(self, claim: Claim) -> Iterator[None]:
        """Keep a claim meanwhile."""
        self._held.add(claim)
        if self._beating is None:
            self._beating = asyncio.create_task(self._keep_beating())
        try:
            yield
        finally:
            self._held.discard(claim)

    async def _keep_beating(self) -> None:
        host = self._host
        try:
            while self._held:
                before = frozenset(self._held)
                await asyncio.sleep(host.clock.real(BEAT_SECONDS))
                if slow := [claim for claim in self._held if claim in before]:
                    with contextlib.suppress(Exception):  # a database that is away may be back in time
                        await host.write(partial(due_work.keep, claims=slow, until=host.claim_ends()))
        finally:
            self._beating = None

    async def stop(self) -> None:
        """Stop keeping claims."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)


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
    batched_reads: BatchedReads = field(init=False)
    """What its kinds of work ask the database to find out whether anything is due."""
    claims: ClaimHeartbeat = field(init=False)
    """The pieces of work at which this host is."""
    _sender: Sender | None = None
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.observer = BeatObserver(self.settings.dead_after)
        self.sessions = OpenSessions(self.connector, self.database, self.vault, self.clock)
        self.batched_reads = BatchedReads(self.database)
        self.claims = ClaimHeartbeat(self)

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
