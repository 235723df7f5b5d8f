"""Receives the service's events, and answers 200 only when an event is on disk.

Events that arrive during a commit are stored together in the next one. Nothing is decided here, and the API key is not
needed: a forged event costs one row.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from sqlalchemy import Connection

from connector.core import limits
from connector.core.timing import Clock, RateLimit, TokenBuckets
from connector.durable.inbox.envelope import peek
from connector.store import Database
from connector.store.triggers import deliveries, events, hooks
from connector.store.triggers.events import IncomingEvent
from connector.store.triggers.hooks import Hook

BATCH_SIZE = 500
HOOK_CACHE_SECONDS = 5.0
"""How long a hook is cached: a released one answers at most that long."""
EVENT_TIME_INTERVAL = 10.0
PER_SOURCE = RateLimit(limits.EVENTS_PER_SECOND, limits.EVENTS_AT_ONCE)
PER_TOKEN = RateLimit(limits.EVENTS_PER_SECOND, limits.EVENTS_AT_ONCE)
UNKNOWN_TOKENS = RateLimit(limits.UNKNOWN_HOOKS_PER_SECOND, limits.UNKNOWN_HOOKS_AT_ONCE)


class _QueuedEvent(NamedTuple):
    event: IncomingEvent
    hook: Hook
    stored: asyncio.Future[None]


def _no_wake() -> None:
    """Do nothing."""


class Intake:
    """Receives events for all hooks of this host, in one event loop."""

    def __init__(
        self,
        database: Database,
        *,
        wake: Callable[[], None] = _no_wake,
        clock: Clock | None = None,
        per_source: RateLimit = PER_SOURCE,
        per_token: RateLimit = PER_TOKEN,
        unknown_tokens: RateLimit = UNKNOWN_TOKENS,
    ) -> None:
        """`wake` is called when events are on disk, so that they are decided at once."""
        self._database = database
        self._wake = wake
        self._clock = clock or Clock()
        self._sources = TokenBuckets(per_source)
        self._tokens = TokenBuckets(per_token)
        self._unknown_tokens = TokenBuckets(unknown_tokens)
        self._hooks: dict[str, tuple[Hook, float]] = {}
        """By token, those that are known."""
        self._hook_lookups: dict[str, asyncio.Future[Hook | None]] = {}
        self._queue: deque[_QueuedEvent] = deque()  # filled in the event loop, emptied in the database's writer thread
        self._commit_scheduled = False
        """Whether a commit that will take the queued events is scheduled."""
        self._event_times: dict[str, float] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        """Kept, since asking for it is a system call."""

    async def receive(self, token: str, body: bytes, content_type: str, source: str) -> int:
        """Store one event; return the HTTP status to answer with."""
        hook = await self.find(token, source)
        return hook if isinstance(hook, int) else await self.store(hook, body, content_type)

    async def find(self, token: str, source: str) -> Hook | int:
        """Return the hook of a token, before anything of the event is read; else the HTTP status to answer with."""
        now = self._clock.monotonic()
        if not self._sources.take(source, now):
            return 429
        remembered = self._hooks.get(token)
        hook: Hook | None
        if remembered is not None and now < remembered[1]:
            hook = remembered[0]
        elif remembered is not None or token in self._hook_lookups or self._unknown_tokens.take(source, now):
            hook = await self._find_hook(token, now)
        else:
            return 429
        return 404 if hook is None else hook

    async def store(self, hook: Hook, body: bytes, content_type: str) -> int:
        """Store one event of a hook; return the HTTP status to answer with."""
        if not self._tokens.take(hook.token_digest, self._clock.monotonic()):
            return 429
        if len(body) > limits.MAX_EVENT_BODY_BYTES:
            return 413
        if not _may_be_json(content_type):
            return 400
        try:
            text = body.decode("utf-8")
            event, event_id = peek(body)
        except ValueError:
            return 400
        if len(self._queue) >= limits.MAX_QUEUED_EVENTS:
            return 503
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.get_running_loop()
        stored: asyncio.Future[None] = loop.create_future()
        self._queue.append(_QueuedEvent(IncomingEvent(hook.credential_id, event_id, event, text), hook, stored))
        if not self._commit_scheduled:
            self._commit_scheduled = True
            loop.call_soon(self._write, [])  # after all other tasks that are ready now
        try:
            await stored
        except Exception:  # whatever the reason: it is not on disk, so the sender must retry
            return 503
        return 200

    async def _find_hook(self, token: str, now: float) -> Hook | None:
        """Look up a hook in the database, with one query for concurrent requests."""
        lookup = self._hook_lookups.get(token)
        if lookup is None:
            lookup = self._hook_lookups[token] = asyncio.ensure_future(self._read_hook(token, now))
            lookup.add_done_callback(lambda _: self._hook_lookups.pop(token))
        return await asyncio.shield(lookup)

    async def _read_hook(self, token: str, now: float) -> Hook | None:
        digest = hooks.digest(token)
        hook = await asyncio.to_thread(self._database.read, lambda connection: hooks.by_token(connection, digest))
        own = hook is not None and hmac.compare_digest(hook.token_digest, digest)
        former = hook is not None and hook.former_digest is not None and hmac.compare_digest(hook.former_digest, digest)
        if hook is None or hook.state == "released" or not (own or former):
            self._hooks.pop(token, None)
            return None
        self._hooks[token] = (hook, now + HOOK_CACHE_SECONDS)
        return hook

    def _write(self, batch: list[_QueuedEvent]) -> None:
        """Queue a batch for commit; an empty one takes all queued events when the commit runs."""
        loop = asyncio.get_running_loop()

        def insert(connection: Connection) -> None:
            if not batch:
                while self._queue and len(batch) < BATCH_SIZE:
                    batch.append(self._queue.popleft())
                self._commit_scheduled = False  # later events are for the next commit
            self._insert(connection, batch)

        def committed(future: Future[None]) -> None:
            loop.call_soon_threadsafe(self._on_committed, batch, future.exception())

        try:
            self._database.write(insert).add_done_callback(committed)
        except RuntimeError as error:  # the host is closing
            loop.call_soon(self._on_committed, batch, error)

    def _insert(self, connection: Connection, batch: Sequence[_QueuedEvent]) -> None:
        """Store events, their time and the deliveries to a former URL, in one transaction."""
        if not batch:
            return
        now, moment = self._clock.utcnow(), self._clock.monotonic()
        events.insert(connection, [queued.event for queued in batch], now)
        for hook in {queued.hook.token_digest: queued.hook for queued in batch}.values():
            if moment - self._event_times.get(hook.token_digest, float("-inf")) >= EVENT_TIME_INTERVAL:
                hooks.record_event_time(connection, hook.token_digest, now)
                self._event_times[hook.token_digest] = moment
        for event, hook, _ in batch:
            if hook.pass_on and hook.former_url:
                deliveries.enqueue(connection, hook.queue_id, event.event_id, event.body, now)

    def _on_committed(self, batch: list[_QueuedEvent], error: BaseException | None) -> None:
        if error is not None and not batch:  # the database failed before the queue was taken
            self._commit_scheduled = False
            while self._queue:
                self._fail(self._queue.popleft(), error)
        if self._queue and not self._commit_scheduled:  # arrived during the commit, or did not fit into the batch
            self._commit_scheduled = True
            self._write([])
        if error is not None and len(batch) > 1:
            for queued in batch:  # one of them failed: commit each on its own
                self._write([queued])
            return
        for queued in batch:
            if error is not None:
                self._fail(queued, error)
            elif not queued.stored.done():  # done: its sender has disconnected
                queued.stored.set_result(None)
        if error is None:
            self._wake()

    @staticmethod
    def _fail(queued: _QueuedEvent, error: BaseException) -> None:
        if not queued.stored.done():
            queued.stored.set_exception(error)


FORM = "application/x-www-form-urlencoded"
"""What clients say of a body when nobody has told them what it is."""


def _may_be_json(content_type: str) -> bool:
    """Whether the body may be JSON: the service's content type is not documented, so only clear others are refused."""
    if content_type == "application/json":
        return True
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or "json" in kind or kind in {"text/plain", "application/octet-stream", FORM}
