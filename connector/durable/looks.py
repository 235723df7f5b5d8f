"""Looks for work: what several kinds ask the database at the same moment is asked together.

Ten kinds look in every round. A thread and a connection for each would cost more than their queries.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store import Database

T = TypeVar("T")


class Looks:
    """The looks of one host, in one event loop."""

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
