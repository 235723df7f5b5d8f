"""Whether a host can do its work: by writing to its database and looking at its engine, not by believing so."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from connector.interfaces.host_state import HostState
from connector.store import leases
from connector.store.schema import hooks

KEEP_SECONDS = 1.0
"""Strangers may ask, so a look at the disk is good for this long."""
WAIT_SECONDS = 5.0
LEASE_SECONDS = 60.0
log = logging.getLogger("kontor.host")


@dataclass(frozen=True, slots=True)
class Found:
    """What a look has shown."""

    database: str
    engine: str
    hub: str
    closing: bool

    @property
    def ready(self) -> bool:
        """A hub whose address somebody else has taken is worth an alarm, but the host still does its other work."""
        return self.database == "writable" and self.engine == "running" and not self.closing

    def as_dict(self) -> dict[str, Any]:
        """As the public surface shows it."""
        return asdict(self)


class Readiness:
    """Looks at most once a second, however often it is asked."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._looking: asyncio.Task[tuple[str, str]] | None = None
        self._looked_at = float("-inf")

    async def look(self) -> Found:
        """What is so now."""
        if self._looking is None or time.monotonic() - self._looked_at > KEEP_SECONDS:
            self._looked_at = time.monotonic()
            self._looking = asyncio.create_task(self._ask_store())
        database, hub = await asyncio.shield(self._looking)
        task = self._state.engine_task
        engine = "running" if task is not None and not task.done() else "stopped"
        return Found(database, engine, hub, self._state.closing)

    async def _ask_store(self) -> tuple[str, str]:
        context = self._state.context

        def write(connection: Connection) -> str:
            leases.acquire(connection, f"ready:{context.owner}", context.owner, LEASE_SECONDS, context.now())
            return _hub(connection)

        try:
            async with asyncio.timeout(WAIT_SECONDS):
                return "writable", await context.write(write)
        except Exception as error:  # whatever the reason: it cannot be written to
            log.error("the database cannot be written to: %s", type(error).__name__)
            return "unwritable", "unknown"


def _hub(connection: Connection) -> str:
    rows = connection.execute(select(hooks.c.state, func.count()).group_by(hooks.c.state))
    found: dict[str, int] = {row[0]: row[1] for row in rows}
    if found.get("drifted"):
        return "drifted"
    return "active" if found.get("active") else "none"
