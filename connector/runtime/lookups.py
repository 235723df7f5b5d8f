"""Dropdowns: options from a cache that asks the service as seldom as possible.

However many forms open at once, one request is under way per list. Options that have grown old are shown at once and
refreshed behind; options that a write of ours has changed are forgotten.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date
from typing import Any

from cachetools import LRUCache

from connector.core.answers import items_in
from connector.core.client import Reply
from connector.core.errors import BadReply
from connector.core.manifest.model import Lookup
from connector.core.messages import say
from connector.core.wire import Wire
from connector.runtime.request import build_call
from connector.runtime.result import Option, Options
from connector.runtime.steps import Ask, Await, Steps

MOST_LISTS = 2000
STALE_FACTOR = 20
"""How many times its fresh life a list may still be shown while it is refreshed."""

Key = tuple[str, frozenset[tuple[str, Any]]]


@dataclass(slots=True)
class _Kept:
    options: Options
    fresh_until: float
    stale_until: float


class _AbandonedError(Exception):
    """Whoever was making the request went away."""


class LookupCache:
    """The lists of one credential."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._kept: LRUCache[Key, _Kept] = LRUCache(MOST_LISTS)
        self._under_way: dict[Key, Future[Options]] = {}
        self._generation: dict[str, int] = {}
        self._lock = threading.RLock()

    def fresh(self, lookup: str, inputs: Mapping[str, Any]) -> Options | None:
        """A list that need not be asked for. This is the way of almost every form, so it does next to nothing."""
        try:
            with self._lock:
                kept = self._kept.get((lookup, frozenset(inputs.items())))
        except TypeError:  # an input that cannot be compared: the slow way will say what is wrong with it
            return None
        return kept.options if kept is not None and kept.fresh_until > self._now() else None

    def begin(self, key: Key) -> tuple[Options | None, Future[Options], bool]:
        """Options that may still be shown, the request under way, and whether it is the caller's to make."""
        with self._lock:
            kept = self._kept.get(key)
            usable = kept.options if kept is not None and kept.stale_until > self._now() else None
            under_way = self._under_way.get(key)
            if under_way is not None:
                return usable, under_way, False
            future = self._under_way[key] = Future()
            return usable, future, True

    def generation(self, lookup: str) -> int:
        """Counts how often a write of ours made this lookup's lists old."""
        with self._lock:
            return self._generation.get(lookup, 0)

    def finish(self, key: Key, options: Options, ttl: float, generation: int) -> None:
        """The list has come. One that was asked for before a write of ours is given out, but not kept."""
        with self._lock:
            future = self._under_way.pop(key)
            if generation == self.generation(key[0]):
                now = self._now()
                kept = Options(options.options, cached=True)
                self._kept[key] = _Kept(kept, now + ttl, now + ttl * STALE_FACTOR)
        future.set_result(options)

    def fail(self, key: Key, error: Exception) -> None:
        """The list has not come."""
        with self._lock:
            future = self._under_way.pop(key)
        future.set_exception(error)

    def forget(self, lookups: Iterable[str]) -> None:
        """A write of ours has made these lists old."""
        with self._lock:
            for lookup in lookups:
                self._generation[lookup] = self._generation.get(lookup, 0) + 1
                for key in [key for key in self._kept if key[0] == lookup]:
                    del self._kept[key]


def fetch(
    lookup: Lookup, inputs: Mapping[str, Any], cache: LookupCache, key: Key, wire: Wire, day: date
) -> Steps[Options]:
    """Makes the request that `begin` assigned to the caller, and gives the list to everybody who waits."""
    generation = cache.generation(lookup.id)
    try:
        items: list[Any] = []
        if lookup.request is not None:
            reply: Reply = yield Ask(build_call(lookup, inputs, wire))
            items = _items(lookup, reply)
        entries = lookup.options.entries(items, day, inputs)
        options = Options(tuple(Option(one.value, one.label, one.hint) for one in entries))
    except Exception as error:
        cache.fail(key, error)
        raise
    except BaseException:  # cancelled: the form was closed, but others may wait for the same list
        cache.fail(key, _AbandonedError())
        raise
    cache.finish(key, options, lookup.ttl, generation)
    return options


def wait(future: Future[Options]) -> Steps[Options | None]:
    """Waits for somebody else's request; None when that caller went away before it was answered."""
    try:
        options: Options = yield Await(future)
    except _AbandonedError:
        return None
    return options


def search_in(options: Options, text: str | None) -> Options:
    """Only the options that hold every word of the search."""
    words = (text or "").casefold().split()
    if not words:
        return options
    found = [
        o for o in options.options if all(word in f"{o.label} {o.hint or ''} {o.value}".casefold() for word in words)
    ]
    return Options(tuple(found), options.cached)


def _items(lookup: Lookup, reply: Reply) -> list[Any]:
    try:
        return items_in(reply.value, lookup.answer_in)
    except ValueError as error:
        raise BadReply(say("reply_unexpected", why=error), reason="reply_unexpected") from None
