"""Delivers events to the webhook URL in the background, in order, with retries and injected faults."""

from __future__ import annotations

import asyncio
from bisect import insort
from datetime import datetime, timedelta
from typing import Literal

import httpx
from msgspec import Struct

from connector.sandbox.assumptions import RETRY_DELAYS
from connector.sandbox.clock import Clock
from connector.sandbox.traffic.faults import Faults
from connector.sandbox.traffic.http_messages import encode
from connector.sandbox.world import Envelope, Outgoing

State = Literal["waiting", "held", "delivered", "failed", "lost", "no_url"]
_TIMEOUT_SECONDS = 10.0


class Attempt(Struct, frozen=True):
    at: datetime
    status: int | None
    error: str | None


class Delivery(Struct, kw_only=True):
    sequence: int
    envelope: Envelope
    origin: str
    url: str | None
    state: State
    """`held` is sent after the next event; `lost` and `no_url` are never sent."""
    due: datetime
    fault: str | None = None
    attempts: list[Attempt] = []


class WebhookSender:
    """A queue by due time and arrival, and the task that processes it."""

    def __init__(self, clock: Clock, faults: Faults) -> None:
        self._clock, self._faults = clock, faults
        self.deliveries: list[Delivery] = []
        self._queue: list[tuple[datetime, int, Delivery]] = []
        self._queued = 0
        self._held: list[Delivery] = []
        self._wake_up = asyncio.Event()
        self._idle = asyncio.Event()

    def submit(self, outgoing: Outgoing, url: str | None) -> None:
        fault = self._faults.match_event(outgoing.envelope.event) if url else None
        kind = fault.kind if fault else None
        now = self._clock.now()
        for _ in range(2 if kind == "event_repeat" else 1):
            delivery = Delivery(
                sequence=len(self.deliveries) + 1,
                envelope=outgoing.envelope,
                origin=outgoing.origin,
                url=url,
                state="waiting",
                due=now,
                fault=kind,
            )
            self.deliveries.append(delivery)
            if url is None:
                delivery.state = "no_url"
            elif kind == "event_lose":
                delivery.state = "lost"
            elif kind == "event_reorder":
                delivery.state = "held"
                self._held.append(delivery)
            else:
                if fault and kind == "event_delay":
                    delivery.due = now + timedelta(seconds=fault.spec.seconds)
                self._enqueue(delivery)
                self._release_held(now)

    def wake(self) -> None:
        """Check the queue again after the clock was changed."""
        self._idle.clear()
        self._wake_up.set()

    async def wait_until_idle(self, seconds: float) -> bool:
        """Wait until all due deliveries were tried; return False after `seconds`."""
        self.wake()
        try:
            await asyncio.wait_for(self._idle.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def run(self) -> None:
        async with httpx.AsyncClient(timeout=_TIMEOUT_SECONDS, trust_env=False, follow_redirects=False) as client:
            while True:
                while self._queue and self._queue[0][0] <= self._clock.now():
                    await self._attempt(client, self._queue.pop(0)[2])
                self._wake_up.clear()
                self._idle.set()
                wait = self._clock.real_seconds_until(self._queue[0][0]) if self._queue else None
                try:
                    await asyncio.wait_for(self._wake_up.wait(), wait)
                except TimeoutError:
                    continue

    async def _attempt(self, client: httpx.AsyncClient, delivery: Delivery) -> None:
        status, error = None, None
        try:
            response = await client.post(
                delivery.url or "",
                content=encode(delivery.envelope),
                headers={"content-type": "application/json", "user-agent": "service-events/2.0"},
            )
            status = response.status_code
        except (httpx.HTTPError, httpx.InvalidURL) as exception:
            error = f"{type(exception).__name__}: {exception}"
        now = self._clock.now()
        delivery.attempts.append(Attempt(now, status, error))
        if status is not None and 200 <= status < 300:
            delivery.state = "delivered"
        elif len(delivery.attempts) > len(RETRY_DELAYS):
            delivery.state = "failed"
        else:
            delivery.due = now + timedelta(seconds=RETRY_DELAYS[len(delivery.attempts) - 1])
            self._enqueue(delivery)

    def _release_held(self, now: datetime) -> None:
        for delivery in self._held:
            delivery.state, delivery.due = "waiting", now
            self._enqueue(delivery)
        self._held.clear()

    def _enqueue(self, delivery: Delivery) -> None:
        self._queued += 1
        insort(self._queue, (delivery.due, self._queued, delivery), key=lambda waiting: waiting[:2])
