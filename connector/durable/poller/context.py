"""The context of polls under one credential, with its counted calls and the accounts of its bank connections.

Which bank account belongs to which bank connection: accounts do not say so, but free lists by connection do.

The context of polls under one credential: session, database, clock, and the owner of leases.

Sends one call of a poll within the budget and counts its cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from cachetools import LRUCache

from connector.client import Call, Reply
from connector.core.timing import BeatObserver, Clock
from connector.durable.settings import Settings
from connector.runtime.result import Credits
from connector.runtime.session import AsyncSession

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.runtime.connector import Connector
    from connector.store import Database

MAX_KNOWN = 20_000
"""Accounts that are remembered; the longest unused is asked for again."""


@dataclass(eq=False)
class BankAccounts:
    """What is known so far, by credential. An account never moves to another bank connection."""

    _bank_connections: LRUCache[tuple[str, str], str] = field(default_factory=lambda: LRUCache(MAX_KNOWN))
    _learned: LRUCache[tuple[str, str], bool] = field(default_factory=lambda: LRUCache(MAX_KNOWN))

    def learn(self, credential_id: str, bank_connection_id: str, account_ids: Iterable[str]) -> None:
        """Record the accounts of a bank connection."""
        self._learned[credential_id, bank_connection_id] = True
        for account_id in account_ids:
            self._bank_connections[credential_id, account_id] = bank_connection_id

    def bank_connection_of(self, credential_id: str, account_id: str) -> str | None:
        """Return the account's bank connection, if known."""
        return self._bank_connections.get((credential_id, account_id))

    def is_learned(self, credential_id: str, bank_connection_id: str) -> bool:
        """Whether the accounts of this bank connection are known."""
        return (credential_id, bank_connection_id) in self._learned


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PollContext:
    """Created by the engine for each credential, and by the command line for that of the environment."""

    connector: Connector
    database: Database
    session: AsyncSession
    owner: str
    clock: Clock
    settings: Settings = field(default_factory=Settings)
    observer: BeatObserver = field(default_factory=BeatObserver)
    """What this process has seen of the leases of others."""

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Query the database in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.database.read, query)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Commit a change; returns when it is on disk."""
        return await asyncio.wrap_future(self.database.write(change))


MAX_FLOW_CHARACTERS = 100


async def send_metered(context: PollContext, call: Call, flow: str) -> Reply:
    """Check the budget, send the call and count its cost under `flow`."""
    flow = flow[:MAX_FLOW_CHARACTERS]
    session, clock, counter = context.session, context.clock, context.connector.shared.usage
    fingerprint = session.credential.fingerprint
    await session.check_budget(call, flow)
    reply = await session.send(call)
    if reply.charge.cost:
        credits = Credits(reply.charge.cost, reply.charge.balance)
        counter.count(fingerprint, flow, call.label, credits, clock)
    return reply
