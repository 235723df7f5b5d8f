"""What polling under one credential needs: its session, the store, a clock, and whose name stands in the leases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from connector.core.clock import Clock
from connector.durable.settings import Settings
from connector.runtime.session import AsyncSession

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.runtime.connector import Connector
    from connector.store import Database

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PollWork:
    """Used by the engine for each credential it works for, and by the command line for the environment's."""

    connector: Connector
    database: Database
    session: AsyncSession
    owner: str
    clock: Clock
    settings: Settings = field(default_factory=Settings)

    async def read(self, question: Callable[[Connection], T]) -> T:
        """Asks the store without holding up the loop."""
        return await asyncio.to_thread(self.database.read, question)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Changes the store; done when it is on disk."""
        return await asyncio.wrap_future(self.database.write(change))
