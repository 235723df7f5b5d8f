"""Takes the service's events in. Whoever is told 200 can rely on it: the event is on disk by then.

What waits while a commit is under way goes into the next one together. Nothing is decided here, and the API key is
not needed: an event that cannot be true costs one row.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection

from connector.core.clock import Clock
from connector.durable.inbox.buckets import Buckets, Rate
from connector.durable.inbox.envelope import glance
from connector.store import Database, deliveries, events, hooks
from connector.store.events import IncomingEvent
from connector.store.hooks import Hook

MOST_BYTES = 256 * 1024
MOST_WAITING = 10_000
MOST_TOGETHER = 500
REMEMBER_SECONDS = 5.0
"""How long a hook is remembered before the store is asked again: one that is released stops answering after that."""
HEARD_EVERY = timedelta(seconds=10)
EVER = datetime.min.replace(tzinfo=UTC)
PER_SOURCE = Rate(per_second=1_000, at_once=20_000)
PER_TOKEN = Rate(per_second=1_000, at_once=20_000)
"""The service itself is one source with one token, and may send a day's events at once after a failure of its own."""
STRANGERS = Rate(per_second=5, at_once=200)
"""For a source whose tokens are not known: each of them is looked for in the store."""


class _Waiting(NamedTuple):
    arrival: IncomingEvent
    hook: Hook
    stored: asyncio.Future[None]


def _nobody() -> None:
    """Wakes nobody."""


class Intake:
    """Receives events for all hooks of this host, in one event loop."""

    def __init__(
        self,
        database: Database,
        *,
        wake: Callable[[], None] = _nobody,
        clock: Clock | None = None,
        per_source: Rate = PER_SOURCE,
        per_token: Rate = PER_TOKEN,
        strangers: Rate = STRANGERS,
    ) -> None:
        """`wake` is called after events are on disk, so that they are decided at once."""
        self._database = database
        self._wake = wake
        self._clock = clock or Clock()
        self._sources, self._tokens, self._strangers = Buckets(per_source), Buckets(per_token), Buckets(strangers)
        self._hooks: dict[str, tuple[Hook, float]] = {}
        self._looking: dict[str, asyncio.Future[Hook | None]] = {}
        self._waiting: deque[_Waiting] = deque()  # filled in the event loop, emptied in the writer's thread
        self._asked = False
        """Whether a commit is on its way that will take what waits."""
        self._heard: dict[str, datetime] = {}

    async def receive(self, token: str, body: bytes, content_type: str, source: str) -> int:
        """Takes one event in; returns the HTTP status to answer with."""
        now = self._clock.monotonic()
        if not self._sources.take(source, now):
            return 429
        if len(body) > MOST_BYTES:
            return 413
        digest = hooks.digest(token)
        kept = self._hooks.get(digest)
        hook: Hook | None
        if kept is not None and now < kept[1]:
            hook = kept[0]
        elif kept is not None or digest in self._looking or self._strangers.take(source, now):
            hook = await self._found(digest, now)
        else:
            return 429
        if hook is None:
            return 404
        if not self._tokens.take(hook.token_digest, now):
            return 429
        if not _may_be_json(content_type):
            return 400
        try:
            text = body.decode("utf-8")
            event, event_id = glance(body)
        except ValueError:
            return 400
        if len(self._waiting) >= MOST_WAITING:
            return 503
        loop = asyncio.get_running_loop()
        stored: asyncio.Future[None] = loop.create_future()
        self._waiting.append(_Waiting(IncomingEvent(hook.credential_id, event_id, event, text), hook, stored))
        if not self._asked:
            self._asked = True
            loop.call_soon(self._write, [])  # after everybody else who is ready now
        try:
            await stored
        except Exception:  # whatever the reason: it is not on disk, and the sender shall come again
            return 503
        return 200

    async def _found(self, digest: str, now: float) -> Hook | None:
        """Asks the store, once for all who ask at the same time."""
        looking = self._looking.get(digest)
        if looking is None:
            looking = self._looking[digest] = asyncio.ensure_future(self._look_up(digest, now))
            looking.add_done_callback(lambda _: self._looking.pop(digest))
        return await asyncio.shield(looking)

    async def _look_up(self, digest: str, now: float) -> Hook | None:
        hook = await asyncio.to_thread(self._database.read, lambda connection: hooks.by_token(connection, digest))
        if hook is None or hook.state == "released" or not hmac.compare_digest(hook.token_digest, digest):
            self._hooks.pop(digest, None)
            return None
        self._hooks[digest] = (hook, now + REMEMBER_SECONDS)
        return hook

    def _write(self, batch: list[_Waiting]) -> None:
        """Has a batch written; an empty one takes, when its turn comes, all that waits by then."""
        loop = asyncio.get_running_loop()

        def enter(connection: Connection) -> None:
            if not batch:
                while self._waiting and len(batch) < MOST_TOGETHER:
                    batch.append(self._waiting.popleft())
                self._asked = False  # what comes from here on is for the next commit
            self._enter(connection, batch)

        def written(future: Future[None]) -> None:
            loop.call_soon_threadsafe(self._written, batch, future.exception())

        try:
            self._database.write(enter).add_done_callback(written)
        except RuntimeError as error:  # the host is closing
            loop.call_soon(self._written, batch, error)

    def _enter(self, connection: Connection, batch: Sequence[_Waiting]) -> None:
        """Events, what is to be passed on of them, and when they were heard: all in one transaction."""
        if not batch:
            return
        now = self._clock.utcnow()
        events.insert(connection, [one.arrival for one in batch], now)
        for hook in {one.hook.token_digest: one.hook for one in batch}.values():
            if now - self._heard.get(hook.token_digest, EVER) >= HEARD_EVERY:
                hooks.record_event_time(connection, hook.token_digest, now)
                self._heard[hook.token_digest] = now
        for arrival, hook, _ in batch:
            if hook.pass_on and hook.former_url:
                deliveries.enqueue(connection, hook.queue_id, arrival.event_id, arrival.body, now)

    def _written(self, batch: list[_Waiting], error: BaseException | None) -> None:
        if error is not None and not batch:  # the store was lost before it could take what waits
            self._asked = False
            while self._waiting:
                self._refuse(self._waiting.popleft(), error)
        if self._waiting and not self._asked:  # it came while the last batch was being closed, or found no room in it
            self._asked = True
            self._write([])
        if error is not None and len(batch) > 1:
            for one in batch:  # one of them failed: each for itself, so that it fails alone
                self._write([one])
            return
        for one in batch:
            if error is not None:
                self._refuse(one, error)
            elif not one.stored.done():  # otherwise its sender has hung up
                one.stored.set_result(None)
        if error is None:
            self._wake()

    @staticmethod
    def _refuse(one: _Waiting, error: BaseException) -> None:
        if not one.stored.done():
            one.stored.set_exception(error)


def _may_be_json(content_type: str) -> bool:
    """What the service declares is not shown: only what certainly is something else is refused."""
    if content_type == "application/json":
        return True
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or "json" in kind or kind in {"text/plain", "application/octet-stream"}
