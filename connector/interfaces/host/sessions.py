"""Open sessions of callers, kept for a while so that a flow's next step finds its connections open.

They live in memory only. One that nobody has used for some minutes is closed, and so is the one not used for longest
when there are too many; never one that is in use.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from connector.core.client import KeyState
from connector.interfaces.host.caller import Caller
from connector.interfaces.host_settings import HostSettings
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession

SWEEP_SECONDS = 30.0
AT_ONCE = 32
"""Calls of one key that are at the service at once: as many as its client keeps connections open for. The others wait
here in the order in which they came; in the client's own queue they would slow down those before them."""


@dataclass(slots=True, eq=False)
class _Kept:
    session: AsyncSession
    used_at: float
    users: int = 0
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))


class SessionPool:
    """The sessions of one host, in one event loop."""

    def __init__(self, connector: Connector, settings: HostSettings) -> None:
        self._connector = connector
        self._settings = settings
        self._kept: OrderedDict[tuple[str, str, str], _Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    @asynccontextmanager
    async def of(self, caller: Caller, *, in_turn: bool = True) -> AsyncIterator[AsyncSession]:
        """The caller's session, opened if there is none yet. `in_turn`: the service is surely asked, so wait for it."""
        place = caller.place
        kept = self._kept.get(place)
        if kept is None:
            opening = self._connector.open(caller.credential(self._settings), flow=caller.flow)
            session = await opening.__aenter__()
            kept = self._kept.setdefault(place, _Kept(session, time.monotonic()))
            if kept.session is not session:  # somebody was quicker
                await session.aclose()
        kept.users += 1
        self._kept.move_to_end(place)
        try:
            if in_turn:
                async with kept.turns:
                    yield kept.session
            else:
                yield kept.session
        finally:
            kept.users -= 1
            kept.used_at = time.monotonic()
            if len(self._kept) > self._settings.most_sessions:
                await self._close_idle(len(self._kept) - self._settings.most_sessions)

    def key_states(self) -> dict[str, KeyState]:
        """What is known of each key's rate window and credits, by fingerprint."""
        return {kept.session.credential.fingerprint: kept.session.state for kept in self._kept.values()}

    async def sweep(self) -> None:
        """Closes sessions that nobody has used for a while, again and again."""
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, self._settings.session_idle_seconds))
            await self._close_idle(len(self._kept), time.monotonic() - self._settings.session_idle_seconds)

    async def _close_idle(self, most: int, before: float = float("inf")) -> None:
        """Closes those not used for longest, at most so many."""
        idle = [place for place, kept in self._kept.items() if kept.users == 0 and kept.used_at <= before]
        for place in idle[:most]:
            await self._kept.pop(place).session.aclose()

    async def aclose(self) -> None:
        """Closes all of them."""
        kept, self._kept = self._kept, OrderedDict()
        for one in kept.values():
            await one.session.aclose()
