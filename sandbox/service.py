"""The running sandbox: data, clock, rate limiter, logs, faults and webhook sender."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

from connector.sandbox.access.rate_limits import RateLimiter
from connector.sandbox.banking.lifecycle import run_timer
from connector.sandbox.banking.routes import ROUTES as BANKING_ROUTES
from connector.sandbox.clock import Clock
from connector.sandbox.ledger.routes import ROUTES as LEDGER_ROUTES
from connector.sandbox.mobility.routes import ROUTES as MOBILITY_ROUTES
from connector.sandbox.traffic.faults import Faults
from connector.sandbox.traffic.logs import ExecutionLog, RequestLog
from connector.sandbox.traffic.routes import Route, RouteTable
from connector.sandbox.traffic.webhook_sender import WebhookSender
from connector.sandbox.traffic.wire import Wire
from connector.sandbox.world import Storage, World, demo_world

ROUTES: tuple[Route, ...] = (*BANKING_ROUTES, *LEDGER_ROUTES, *MOBILITY_ROUTES)


class Service:
    """The components of one sandbox; all run on one event loop, so no locks are needed."""

    def __init__(
        self,
        *,
        seed: int = 1,
        start: datetime | None = None,
        speed: float = 1.0,
        data: Path | None = None,
        wire: Wire | None = None,
        allow_loopback_webhooks: bool = False,
        auto_payments: bool = False,
    ) -> None:
        self.wire = wire or Wire.load()
        self.routes = RouteTable(ROUTES)
        self.storage = Storage(data) if data else None
        self._start, self._speed = start, speed
        self._allow_loopback_webhooks, self._auto_payments = allow_loopback_webhooks, auto_payments
        self._wake_up = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._late: set[asyncio.Task[None]] = set()
        saved = self.storage.load() if self.storage else None
        self._initialize(seed, saved)

    def _initialize(self, seed: int, saved: World | None) -> None:
        self.clock = Clock(self._start, self._speed)
        if saved is not None and saved.saved_at > self.clock.now():
            self.clock.set(saved.saved_at)
        self.world = saved or demo_world(seed, self.clock.now())
        self.world.settings.allow_loopback_webhooks = self._allow_loopback_webhooks
        self.world.settings.auto_payments |= self._auto_payments
        self.limiter = RateLimiter()
        self.request_log = RequestLog()
        self.executions = ExecutionLog()
        self.faults = Faults()
        self.webhooks = WebhookSender(self.clock, self.faults)

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._run_timers()), asyncio.create_task(self.webhooks.run())]
        if self.storage:
            self._tasks.append(asyncio.create_task(self.storage.save_on_change(self._world_to_save)))

    async def stop(self) -> None:
        await self._cancel([*self._tasks, *self._late])
        if self.storage:
            self.storage.save(self._world_to_save())

    async def reset(self, seed: int | None) -> None:
        """Reset data, clock, logs, rate limits and faults; keep the start options."""
        await self._cancel([*self._tasks[1:2], *self._late])
        self._initialize(self.world.seed if seed is None else seed, None)
        self._tasks[1:2] = [asyncio.create_task(self.webhooks.run())]
        self.notify_changed()

    def run_due(self) -> None:
        """Run due timers in order."""
        now = self.clock.now()
        while (timer := self.world.timers.pop_due(now)) is not None:
            run_timer(self.world, timer)
            self.notify_changed()

    def run_later(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` after real seconds, unless the sandbox is reset before."""

        async def wait_and_run() -> None:
            await asyncio.sleep(seconds)
            await work()

        task = asyncio.create_task(wait_and_run())
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    def notify_changed(self) -> None:
        """Send pending events, wake the timers and save, after a change of data or clock."""
        for outgoing in self.world.outbox:
            self.webhooks.submit(outgoing, self.world.banking.webhook_urls.get(outgoing.organization_id))
        self.world.outbox.clear()
        self._wake_up.set()
        self.webhooks.wake()
        if self.storage:
            self.storage.mark_changed()

    def _world_to_save(self) -> World:
        self.world.saved_at = self.clock.now()
        return self.world

    async def _run_timers(self) -> None:
        while True:
            self.run_due()
            next_at = self.world.timers.next_at()
            wait = None if next_at is None else self.clock.real_seconds_until(next_at)
            self._wake_up.clear()
            try:
                await asyncio.wait_for(self._wake_up.wait(), wait)
            except TimeoutError:
                continue

    @staticmethod
    async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
