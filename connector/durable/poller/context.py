"""The context of polls under one credential: session, database, clock, and the owner of leases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from connector.core.clock import Clock
from connector.core.heartbeat import BeatObserver
from connector.durable.settings import Settings
from connector.runtime.session import AsyncSession

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.runtime.connector import Connector
    from connector.store import Database

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
