"""Keeps the claims of all pieces at which this host works, with one change for all of them at each heartbeat."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from connector.core.heartbeat import BEAT_SECONDS
from connector.store import due_work
from connector.store.due_work import Claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from connector.core.clock import Clock


class ClaimingHost(Protocol):
    """What keeping claims needs of a host."""

    @property
    def clock(self) -> Clock:
        """The clock that times the heartbeats."""

    def claim_ends(self) -> datetime:
        """Until when a claim made now keeps other hosts away."""

    async def write(self, change: Callable[[Connection], Any]) -> Any:
        """Commit a change."""


class HeldClaims:
    """The claims of one host. Its task runs only while there are some."""

    def __init__(self, host: ClaimingHost) -> None:
        self._host = host
        self._held: set[Claim] = set()
        self._beating: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def kept(self, claim: Claim) -> Iterator[None]:
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
