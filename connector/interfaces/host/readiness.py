"""Readiness check: writes to the database, and checks the engine task and whether its work moves."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from connector.durable.standstill import StandstillWatch
from connector.interfaces.host_state import HostState
from connector.store import timers
from connector.store.schema import hooks

CACHE_SECONDS = 1.0
"""The route is public, so a database probe is cached for this long."""
TIMEOUT_SECONDS = 5.0
log = logging.getLogger("kontor.host")


@dataclass(frozen=True, slots=True)
class ReadinessReport:
    """The result of a readiness check."""

    database: str
    engine: str
    hub: str
    closing: bool
    stalled: list[str]
    """Kinds of work that are overdue and that no host takes."""

    @property
    def ready(self) -> bool:
        """Whether the host can work; a replaced webhook URL alone does not make it unready."""
        working = self.engine == "running" and not self.stalled
        return self.database == "writable" and working and not self.closing

    def as_dict(self) -> dict[str, Any]:
        """Return the fields of the /readyz response."""
        return asdict(self)


class Readiness:
    """Probes the database at most once per second."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._probe: asyncio.Task[tuple[str, str, list[str]]] | None = None
        self._probed_at = float("-inf")
        self._standstill = StandstillWatch()

    async def check(self) -> ReadinessReport:
        """Return the current readiness."""
        if self._probe is None or time.monotonic() - self._probed_at > CACHE_SECONDS:
            self._probed_at = time.monotonic()
            self._probe = asyncio.create_task(self._probe_database())
        database, hub, stalled = await asyncio.shield(self._probe)
        task = self._state.engine_task
        engine = "running" if task is not None and not task.done() else "stopped"
        return ReadinessReport(database, engine, hub, self._state.closing, stalled)

    async def _probe_database(self) -> tuple[str, str, list[str]]:
        context = self._state.context

        def write(connection: Connection) -> tuple[str, list[str]]:
            timers.set_time(connection, "ready", context.now())
            return _hub(connection), self._standstill.stalled(connection, context.now(), context.clock.monotonic())

        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                return "writable", *await context.write(write)
        except Exception as error:  # any failure means the database is not writable
            log.error("the database cannot be written to: %s", type(error).__name__)
            return "unwritable", "unknown", []


def _hub(connection: Connection) -> str:
    rows = connection.execute(select(hooks.c.state, func.count()).group_by(hooks.c.state))
    by_state: dict[str, int] = {row[0]: row[1] for row in rows}
    if by_state.get("drifted"):
        return "drifted"
    return "active" if by_state.get("active") else "none"
