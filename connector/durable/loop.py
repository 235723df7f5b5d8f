"""The embedded engine: a loop that runs the jobs concurrently, each for what is due.

It has no state of its own. Each job is a function over the database that may be run at any time by any host: an engine
that dies leaves only leases whose counters stand still, and an external scheduler can call the same functions.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from connector.core.call_source import CallSource, set_source
from connector.core.clock import Clock
from connector.durable.audit_sealing import seal_due
from connector.durable.clock_keeping import ClockKeeping
from connector.durable.context import JobContext
from connector.durable.housekeeping import clean_up_due
from connector.durable.inbox.decide_due import decide_due
from connector.durable.inbox.reconcile import reconcile_due
from connector.durable.inbox.registration import check_due
from connector.durable.outbox.deliver_due import deliver_due
from connector.durable.poller.poll_due import poll_due
from connector.durable.settings import Settings
from connector.durable.shared_clock import SharedClock
from connector.durable.waiting_runs import WaitingRuns, waiting_due
from connector.store.outage import is_contention, is_outage

if TYPE_CHECKING:
    from connector.runtime.connector import Connector
    from connector.store import Database
    from connector.store.vault import Vault

Job = Callable[[JobContext, datetime], Awaitable[int]]
JOBS: tuple[Job, ...] = (
    *(poll_due, decide_due, deliver_due, waiting_due),
    *(check_due, reconcile_due, clean_up_due, seal_due),
)
MAX_CONCURRENT: dict[Job, int] = {poll_due: 8}
"""Concurrent runs of a job, where more than one: a slow service must not block the polls of other credentials."""
MIN_ROUND_SECONDS, MAX_ROUND_SECONDS = 0.05, 1.0
"""Shortest and longest duration of a round. A single wake-up is handled at once; during a burst rounds get longer, so
that storing new events is not slowed down by processing earlier ones."""
BURST_WAKE_UPS = 10
"""Wake-ups within a round that count as a burst."""
STOP_SECONDS = 20.0
log = logging.getLogger("kontor.engine")


class Engine:
    """Runs the jobs until it is stopped. Several engines, on several hosts, may share one database."""

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
        connector.host = WaitingRuns(self.context)
        self._clock_keeping = ClockKeeping(shared_clock, self.context.owner, self.context.observer)
        self._stopping = False
        self._running: dict[asyncio.Task[int], Job] = {}
        self._run_again: set[Job] = set()

    async def run(self) -> None:
        """Run until `stop` is called."""
        set_source(CallSource("host"))
        try:
            round_seconds = MIN_ROUND_SECONDS
            while not self._stopping:
                began, wake_ups = time.monotonic(), self.context.wake_count
                for job in (self._clock_keeping.run_due, *JOBS):
                    self._start(job)
                if await self.context.sleep_until_woken(self.context.settings.tick):
                    # A running job may have read the database before the change: it runs again when it is done.
                    self._run_again.update(self._running.values())
                await asyncio.sleep(began + round_seconds - time.monotonic())
                burst = self.context.wake_count - wake_ups >= BURST_WAKE_UPS
                round_seconds = min(2 * round_seconds, MAX_ROUND_SECONDS) if burst else MIN_ROUND_SECONDS
        finally:
            await self._shut_down()

    async def stop(self) -> None:
        """Stop after the running jobs have finished."""
        self._stopping = True
        self.context.wake()

    def _start(self, job: Job) -> None:
        if list(self._running.values()).count(job) < MAX_CONCURRENT.get(job, 1):
            task = asyncio.ensure_future(job(self.context, self.context.now()))
            self._running[task] = job
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[int]) -> None:
        job = self._running.pop(task)
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            _log_failure(job, error)
        elif task.result() or job in self._run_again:
            self.context.wake()
        self._run_again.discard(job)

    async def _shut_down(self) -> None:
        tasks = list(self._running)
        if tasks:
            _, slow = await asyncio.wait(tasks, timeout=STOP_SECONDS)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
        with contextlib.suppress(Exception):  # without a database there is nothing to release
            await self._clock_keeping.stop(self.context)
        await self.context.aclose()


def _log_failure(job: Job, error: BaseException) -> None:
    """Log an error that the job does not handle: a bug with its trace, a lock in the way with one line."""
    if is_outage(error):
        return  # logged by the database, once
    trace = None if is_contention(error) else error
    log.error("the job %s failed: %s", getattr(job, "__name__", job), type(error).__name__, exc_info=trace)
