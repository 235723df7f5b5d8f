"""Records reads as light runs, in batches: whoever reads waits for no transaction.

A batch is written a moment later by the database's writer thread. What a process that dies at once has not
written yet is lost, and so is what does not fit while the database is away.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from connector.core.callers import CallSource, current_source
from connector.core.timing import Clock

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store import Database
    from connector.store.runs.reads import NewRead, State


class OpenStore(Protocol):
    """What the log needs of what sessions share."""

    separate_keys: bool
    workspaces_by_key: dict[str, str]

    @property
    def database(self) -> Database:
        """The database."""


MAX_WAITING = 5_000
"""Reads that wait to be written; more are dropped."""
ALONE, KONTOR = "python", "host"
"""The faces of whoever uses Kontor from Python, and of Kontor itself."""


class ReadLog:
    """The reads of one connector that are not stored yet."""

    def __init__(self, shared: OpenStore) -> None:
        self._shared = shared
        self._waiting: list[NewRead] = []
        self._scheduled = False
        self._lock = threading.Lock()

    def is_wanted(self, invoker: CallSource) -> bool:
        """Whether a read is a run: not what Kontor itself reads."""
        return invoker.face != KONTOR and not (invoker.face == ALONE and current_source().face != ALONE)

    def record(
        self,
        credential: str,
        action: str,
        invoker: CallSource,
        clock: Clock,
        inputs: dict[str, Any],
        began: datetime,
        state: State,
        outcome: dict[str, Any],
    ) -> None:
        """Keep a read that has ended for the next batch."""
        from connector.store.runs.reads import NewRead

        read = NewRead(credential, action, invoker, inputs, began, clock.utcnow(), state, outcome)
        with self._lock:
            if len(self._waiting) >= MAX_WAITING:
                return
            self._waiting.append(read)
            if self._scheduled:
                return
            self._scheduled = True
        try:
            self._shared.database.write_later(_Batch(self._take, self._workspace_of))
        except Exception:  # what the caller is told does not depend on it; the next read tries again
            self.closed()

    def closed(self) -> None:
        """Take note that the database was closed: whatever waits is written when it is open again."""
        with self._lock:
            self._scheduled = False

    def _take(self) -> list[NewRead]:
        with self._lock:
            taken, self._waiting, self._scheduled = self._waiting, [], False
        return taken

    def _workspace_of(self, connection: Connection, fingerprint: str) -> str | None:
        """Return the workspace of an API key; None for one that has none, of which nothing is stored."""
        from connector.store.trust import workspaces

        known = self._shared.workspaces_by_key.get(fingerprint) or workspaces.of_key(connection, fingerprint)
        if known is not None or self._shared.separate_keys:
            return known
        return os.environ.get("KONTOR_WORKSPACE", "").strip() or workspaces.DEFAULT


class _Batch:
    """The change that writes what waits. It may be made again, with the same rows."""

    def __init__(
        self, take: Callable[[], list[NewRead]], workspace_of: Callable[[Connection, str], str | None]
    ) -> None:
        self._take, self._workspace_of = take, workspace_of
        self._rows: list[dict[str, Any]] | None = None

    def __call__(self, connection: Connection) -> None:
        from connector.store.runs import reads as read_runs

        if self._rows is None:
            reads = self._take()
            homes = {key: self._workspace_of(connection, key) for key in {one.credential for one in reads}}
            kept = [(home, one) for one in reads if (home := homes[one.credential]) is not None]
            self._rows = read_runs.rows_of(connection, kept)
        read_runs.insert(connection, self._rows)
