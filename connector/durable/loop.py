"""The embedded driver: a loop that claims pieces of each kind of work and does them in this process.

A driver says when and where, and nothing else. Another one needs only this:

1. Build a `JobContext`, and one object of each class in `kinds.KINDS`.
2. Again and again, and soon after `JobContext.wake`: ask each kind for as many pieces as may be added to those in
   progress, `pieces = await kind.claim(context.owner, most)`, and for each `await kind.do(piece)`, concurrently. What
   is due is in the database: a driver keeps no list, and one that forgets everything has lost nothing.
3. At most `kind.most` pieces of a kind at once. That is the back-pressure: what cannot be done yet is not claimed, and
   stays for other hosts.
4. `do` may raise: log it, the key is planned again. It may be cancelled, or its process killed: its claim ends by
   itself and the next claim does it again. It may take minutes: it keeps its claim while it runs.
5. One `ClockKeeping` for each process, by which all hosts agree on the time; it also finds what was never told.

This one keeps what is in progress in tasks of an event loop. It has no other state.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from connector.core.callers import CallSource, set_source
from connector.core.timing import Clock
from connector.durable import kinds
from connector.durable.context import JobContext, SharedClock
from connector.durable.settings import Settings
from connector.durable.upkeep.due_times import ClockKeeping
from connector.durable.waiting_runs import WaitingRuns
from connector.store.database.errors import is_contention, is_outage

if TYPE_CHECKING:
    from connector.durable.work import Outcome, Work
    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.triggers.due_work import Claim
    from connector.store.trust.vault import Vault

MIN_ROUND_SECONDS, MAX_ROUND_SECONDS = 0.05, 1.0
"""Shortest and longest duration of a round. A single wake-up is handled at once; during a burst rounds get longer, so
that storing new events is not slowed down by processing earlier ones."""
BURST_RATE = 20.0
"""Wake-ups a second that count as a burst."""
STOP_SECONDS = 20.0
log = logging.getLogger("kontor.engine")


class Engine:
    """Works until it is stopped. Several engines, on several hosts, may share one database."""

    def __init__(
        self,
        connector: Connector,
        database: Database,
        vault: Vault,
        *,
        public_url: str | None = None,
        allow_private_targets: bool = False,
        allow_loopback_hooks: bool = False,
        clock: Clock | None = None,
        settings: Settings | None = None,
    ) -> None:
        shared_clock = SharedClock(clock or Clock())
        self.context = JobContext(
            connector,
            database,
            vault,
            str(uuid4()),
            public_url,
            allow_private_targets,
            allow_loopback_hooks,
            shared_clock,
            settings or Settings(),
        )
        connector.shared.host = WaitingRuns(self.context)
        self.done: Counter[str] = Counter()
        """How much was done so far, by kind, since this process started."""
        self._clock_keeping = ClockKeeping(shared_clock, self.context.owner, self.context.observer)
        self._stopping = False
        self._kinds: tuple[Work, ...] = ()
        self._pieces: dict[asyncio.Task[None], Work] = {}
        self._rounds: dict[str, asyncio.Task[None]] = {}
        """By kind, what is claiming now."""
        self._again: set[str] = set()
        """Kinds for which somebody called while they were claiming: they claim again."""
        self._more: set[str] = set()
        """Kinds of which there was more than could be claimed."""

    async def run(self) -> None:
        """Run until `stop` is called."""
        set_source(CallSource("host"))
        self._kinds = self.own_kinds()
        try:
            round_seconds = MIN_ROUND_SECONDS
            while not self._stopping:
                began, wake_ups = time.monotonic(), self.context.wake_count
                self._begin("clock", self._keep_clock())
                for work in self._kinds:
                    self._begin(work.name, self._claim(work))
                await self.context.sleep_until_woken(self.context.settings.tick)
                await asyncio.sleep(began + round_seconds - time.monotonic())
                burst = self.context.wake_count - wake_ups >= BURST_RATE * (time.monotonic() - began)
                round_seconds = min(2 * round_seconds, MAX_ROUND_SECONDS) if burst else MIN_ROUND_SECONDS
        finally:
            await self._shut_down()

    async def stop(self) -> None:
        """Stop after the pieces in progress are done."""
        self._stopping = True
        self.context.wake()

    def own_kinds(self) -> tuple[Work, ...]:
        """Return the kinds of work that this process looks for itself: here all."""
        return tuple(kind(self.context) for kind in kinds.KINDS)

    def in_progress(self) -> Counter[str]:
        """Return how many pieces of each kind this process works at."""
        return Counter(work.name for work in list(self._pieces.values()))

    def _begin(self, name: str, claiming: Coroutine[Any, Any, None]) -> None:
        if name in self._rounds:
            claiming.close()
            self._again.add(name)
            return
        self._again.discard(name)
        task = self._rounds[name] = asyncio.create_task(claiming)
        task.add_done_callback(lambda _: self._claimed(name))

    def _claimed(self, name: str) -> None:
        del self._rounds[name]
        if name in self._again and not self._stopping:
            self._again.discard(name)
            self.context.wake()

    async def _keep_clock(self) -> None:
        with logged("clock"):
            if await self._clock_keeping.run_due(self.context, self.context.now()):
                self.context.wake()

    async def _claim(self, work: Work) -> None:
        """Begin as many pieces as there is room for."""
        room = work.most - sum(running is work for running in self._pieces.values())
        if room <= 0:
            return  # pieces that end make room, and claim again
        with logged(work.name):
            pieces = await work.claim(self.context.owner, room)
            (self._more.add if len(pieces) >= room else self._more.discard)(work.name)
            for piece in pieces:
                self._pieces[asyncio.create_task(self._do(work, piece))] = work

    async def _do(self, work: Work, piece: Claim) -> None:
        task = asyncio.current_task()
        assert task is not None
        outcome: Outcome | None = None
        try:
            with logged(work.name):
                outcome = await work.do(piece)
        finally:
            del self._pieces[task]
        if outcome is not None:
            self.done[work.name] += outcome.done
            if outcome.done:
                self.context.look_again()  # what it did may be news for other kinds
        left = sum(running is work for running in self._pieces.values())
        if work.name in self._more and left <= work.most // 2 and not self._stopping:
            self._begin(work.name, self._claim(work))

    async def _shut_down(self) -> None:
        tasks = {*self._rounds.values(), *self._pieces}
        while tasks and not (await asyncio.wait(tasks, timeout=STOP_SECONDS))[1]:
            tasks = set(self._pieces)  # those that were begun meanwhile
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(Exception):  # without a database there is nothing to release
            await self._clock_keeping.stop(self.context)
        await self.context.aclose()


@contextlib.contextmanager
def logged(name: str) -> Iterator[None]:
    """Log an error that the work does not handle: a bug with its trace, a lock in the way with one line."""
    try:
        yield
    except Exception as error:
        if not is_outage(error):  # logged by the database, once
            trace = None if is_contention(error) else error
            log.error("the work %s failed: %s", name, type(error).__name__, exc_info=trace)
