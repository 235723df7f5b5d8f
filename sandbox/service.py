"""The running sandbox: the world, its clock, and everything that turns around them."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

from sandbox.banking.due import run_timer
from sandbox.banking.routes import ROUTES as BANKING_ROUTES
from sandbox.clock import Clock
from sandbox.dispatcher import Dispatcher
from sandbox.faults import Faults
from sandbox.ledger.routes import ROUTES as LEDGER_ROUTES
from sandbox.limits import RateLimiter
from sandbox.mobility.routes import ROUTES as MOBILITY_ROUTES
from sandbox.record import Record
from sandbox.route import Route
from sandbox.routing import RouteTable
from sandbox.storage import Storage
from sandbox.wire import Wire
from sandbox.world import World, demo_world

ROUTES: tuple[Route, ...] = (*BANKING_ROUTES, *LEDGER_ROUTES, *MOBILITY_ROUTES)


class Service:
    """Holds what one sandbox is made of. All of it lives on one event loop, so nothing needs a lock."""

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
        self.table = RouteTable(ROUTES)
        self.storage = Storage(data) if data else None
        self._start, self._speed = start, speed
        self._allow_loopback_webhooks, self._auto_payments = allow_loopback_webhooks, auto_payments
        self._awake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        saved = self.storage.load() if self.storage else None
        self._begin(seed, saved)

    def _begin(self, seed: int, saved: World | None) -> None:
        self.clock = Clock(self._start, self._speed)
        if saved is not None and saved.saved_at > self.clock.now():
            self.clock.set(saved.saved_at)
        self.world = saved or demo_world(seed, self.clock.now())
        self.world.settings.allow_loopback_webhooks = self._allow_loopback_webhooks
        self.world.settings.auto_payments |= self._auto_payments
        self.limiter = RateLimiter()
        self.record = Record()
        self.faults = Faults()
        self.dispatcher = Dispatcher(self.clock, self.faults)

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._keep_time()), asyncio.create_task(self.dispatcher.run())]
        if self.storage:
            self._tasks.append(asyncio.create_task(self.storage.keep_saving(self._stamped)))

    async def stop(self) -> None:
        await self._end(self._tasks)
        if self.storage:
            self.storage.save(self._stamped())

    async def reset(self, seed: int | None) -> None:
        """Begin anew: a fresh world, clock, record and limits, without faults. The options of the start stay."""
        await self._end(self._tasks[1:2])
        self._begin(self.world.seed if seed is None else seed, None)
        self._tasks[1:2] = [asyncio.create_task(self.dispatcher.run())]
        self.changed()

    def run_due(self) -> None:
        """Run what the clock has made due, in order."""
        now = self.clock.now()
        while (timer := self.world.timers.pop_due(now)) is not None:
            run_timer(self.world, timer)
            self.changed()

    def changed(self) -> None:
        """Tell all who wait that the world or the clock may have moved."""
        for outgoing in self.world.outbox:
            self.dispatcher.submit(outgoing, self.world.banking.webhook_urls.get(outgoing.organization_id))
        self.world.outbox.clear()
        self._awake.set()
        self.dispatcher.wake()
        if self.storage:
            self.storage.touch()

    def _stamped(self) -> World:
        self.world.saved_at = self.clock.now()
        return self.world

    async def _keep_time(self) -> None:
        while True:
            self.run_due()
            next_at = self.world.timers.next_at()
            wait = None if next_at is None else self.clock.real_seconds_until(next_at)
            self._awake.clear()
            try:
                await asyncio.wait_for(self._awake.wait(), wait)
            except TimeoutError:
                continue

    @staticmethod
    async def _end(tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
