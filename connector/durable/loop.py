"""The embedded engine: a loop that finds what is due and runs the jobs side by side.

It holds no state of its own. Each job is a plain function over the store that may be run at any time by anybody, so an
engine that dies leaves nothing behind but leases that run out, and an external scheduler can drive the same functions.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from connector.core.clock import Clock
from connector.durable.context import JobContext
from connector.durable.housekeeping import forget_due
from connector.durable.inbox.reconcile import reconcile_due
from connector.durable.inbox.registration import check_due
from connector.durable.inbox.work import decide_due
from connector.durable.outbox.work import deliver_due
from connector.durable.poller.polling import poll_due
from connector.durable.settings import Settings

if TYPE_CHECKING:
    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.vault import Vault

Job = Callable[[JobContext, datetime], Awaitable[int]]
JOBS: tuple[Job, ...] = (poll_due, decide_due, deliver_due, check_due, reconcile_due, forget_due)
ABREAST: dict[Job, int] = {poll_due: 8}
"""How often a job may be under way at once, where not once: one slow service must not hold up the polls of others."""
SHORTEST_ROUND, LONGEST_ROUND = 0.05, 1.0
"""Seconds that a round lasts at least. News that comes by itself is looked at at once; of a flood, ever more together,
so that those who wait for their events to be stored are not held up by what is done with earlier ones."""
FLOOD = 10
"""So often news must come within a round."""
STOP_SECONDS = 20.0
log = logging.getLogger("kontor.engine")


class Engine:
    """Runs until it is stopped. Several of them, on several hosts, may share one database."""

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
        self.context = JobContext(
            connector,
            database,
            vault,
            str(uuid4()),
            public_url,
            allow_private_targets,
            allow_loopback_hooks,
            clock or Clock(),
            settings or Settings(),
        )
        self._stopping = False
        self._running: dict[asyncio.Task[int], Job] = {}
        self._again: set[Job] = set()

    async def run(self) -> None:
        """Works until `stop` is called."""
        try:
            lasts = SHORTEST_ROUND
            while not self._stopping:
                began, heard = time.monotonic(), self.context.times_woken
                for job in JOBS:
                    self._begin(job)
                if await self.context.sleep_until_woken(self.context.settings.tick):
                    # Whoever is at work may have looked before the news came: it looks again when it is done.
                    self._again.update(self._running.values())
                await asyncio.sleep(began + lasts - time.monotonic())
                flooded = self.context.times_woken - heard >= FLOOD
                lasts = min(2 * lasts, LONGEST_ROUND) if flooded else SHORTEST_ROUND
        finally:
            await self._finish()

    async def stop(self) -> None:
        """Lets what is under way come to an end, then ends."""
        self._stopping = True
        self.context.wake()

    def _begin(self, job: Job) -> None:
        if list(self._running.values()).count(job) < ABREAST.get(job, 1):
            task = asyncio.ensure_future(job(self.context, self.context.now()))
            self._running[task] = job
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[int]) -> None:
        job = self._running.pop(task)
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            # A job handles what the service and the input can do to it; this is a lost database or a mistake of ours.
            log.error("the job %s failed: %s", getattr(job, "__name__", job), type(error).__name__, exc_info=error)
        elif task.result() or job in self._again:
            self.context.wake()
        self._again.discard(job)

    async def _finish(self) -> None:
        tasks = list(self._running)
        if tasks:
            _, slow = await asyncio.wait(tasks, timeout=STOP_SECONDS)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
        await self.context.aclose()
