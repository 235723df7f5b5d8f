"""Large bodies: a few are in the host at a time, and one is read at a time.

Reading a document holds the interpreter while one call of a library lasts, in whatever thread that is. So a large one
is read in a thread, and then none for a while: other callers have their turn in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakValueDictionary

from connector.core import limits

T = TypeVar("T")


class LargeBodies:
    """The places for large bodies of one host, and whose turn it is to be read."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(limits.MAX_LARGE_BODIES)
        self._by_owner: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._turn = asyncio.Lock()

    async def take(self, owner: str) -> Callable[[], None]:
        """Wait for a place; return what gives it back."""
        own = self._by_owner.get(owner)
        if own is None:
            own = self._by_owner[owner] = asyncio.Semaphore(limits.MAX_LARGE_BODIES_EACH)
        await own.acquire()
        try:
            await self._places.acquire()
        except BaseException:
            own.release()
            raise

        def give_back() -> None:
            self._places.release()
            own.release()

        return give_back

    async def read(self, read: Callable[[bytes], T], body: bytes) -> T:
        """Read a large body in a thread, one at a time and with pauses in between."""
        await self._turn.acquire()
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await asyncio.to_thread(read, body)
        finally:
            pause = min(limits.PAUSE_AFTER_READING * (loop.time() - began), limits.MAX_PAUSE_SECONDS)
            loop.call_later(pause, self._turn.release)
