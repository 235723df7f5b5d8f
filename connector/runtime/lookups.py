"""Dropdown options with a cache per credential.

Concurrent requests for the same list share one call. Stale options are returned at once and refreshed in the
background; options that one of our writes changed are removed from the cache.

The rows of lists that dropdowns were filled from, for runs that only need what was picked.
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

from connector.client import Reply, Sender
from connector.client.exchange import exchange
from connector.client.key_states import Charge
from connector.client.steps import Await, Steps
from connector.core.data.answers import NotListed, items_in, pick
from connector.core.data.fields import LookupUse
from connector.core.errors import BadReply, InputError
from connector.core.manifest.model import Action, Lookup
from connector.core.messages import say
from connector.core.problems import reason_of
from connector.runtime.requests.catalog import Catalog
from connector.runtime.requests.request import build_call
from connector.runtime.result import Option, Options

MAX_LISTS = 2000
MAX_LIMIT = 10_000
LOOKUP_LABEL = "lookup:"
"""Before the id of a lookup that was charged, among the labels of what was spent."""
STALE_FACTOR = 20
"""A list may be shown for so many times its TTL while it is refreshed."""

Key = tuple[str, frozenset[tuple[str, Any]]]


@dataclass(slots=True)
class _CachedOptions:
    options: Options
    fresh_until: float
    stale_until: float


@dataclass(slots=True)
class _CachedRows:
    rows: list[Any]
    fresh_until: float


class _CancelledByCaller(Exception):
    """The caller that was making the request was cancelled."""


class LookupCache:
    """The cached lists of one credential."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._cached: LRUCache[Key, _CachedOptions] = LRUCache(MAX_LISTS)
        self._rows: LRUCache[Key, _CachedRows] = LRUCache(MAX_LISTS)
        self._in_flight: dict[Key, Future[Options]] = {}
        self._generation: dict[str, int] = {}
        self._lock = threading.RLock()

    def fresh(self, lookup: str, inputs: Mapping[str, Any]) -> Options | None:
        """Return a cached list that is still fresh. This is the path of almost every form, so it is kept short."""
        try:
            with self._lock:
                kept = self._cached.get((lookup, frozenset(inputs.items())))
        except TypeError:  # an unhashable input: the full path reports what is wrong with it
            return None
        return kept.options if kept is not None and kept.fresh_until > self._now() else None

    def begin(self, key: Key) -> tuple[Options | None, Future[Options], bool]:
        """Return stale options if usable, the future of the request, and whether the caller must make that request."""
        with self._lock:
            kept = self._cached.get(key)
            usable = kept.options if kept is not None and kept.stale_until > self._now() else None
            under_way = self._in_flight.get(key)
            if under_way is not None:
                return usable, under_way, False
            future = self._in_flight[key] = Future()
            return usable, future, True

    def generation(self, lookup: str) -> int:
        """Return how often this lookup was invalidated."""
        with self._lock:
            return self._generation.get(lookup, 0)

    def finish(self, key: Key, options: Options, ttl: float, generation: int) -> None:
        """Complete the request and cache its options, unless the lookup was invalidated since it was made."""
        with self._lock:
            future = self._in_flight.pop(key)
            if generation == self.generation(key[0]):
                now = self._now()
                kept = Options(options.options, cached=True, write=options.write)
                self._cached[key] = _CachedOptions(kept, now + ttl, now + ttl * STALE_FACTOR)
        future.set_result(options)

    def rows(self, key: Key) -> list[Any] | None:
        """Return the rows of a list that is still fresh, by `rows_key`."""
        with self._lock:
            kept = self._rows.get(key)
        return kept.rows if kept is not None and kept.fresh_until > self._now() else None

    def keep_rows(self, key: Key | None, rows: list[Any], ttl: float, generation: int) -> None:
        """Cache the rows of a list, unless the lookup was invalidated since they were asked for."""
        with self._lock:
            if key is not None and generation == self.generation(key[0]):
                self._rows[key] = _CachedRows(rows, self._now() + ttl)

    def fail(self, key: Key, error: Exception) -> None:
        """Complete the request with an error."""
        with self._lock:
            future = self._in_flight.pop(key)
        future.set_exception(error)

    def invalidate(self, lookups: Iterable[str]) -> None:
        """Remove these lists from the cache, after a write that changed them."""
        with self._lock:
            for lookup in lookups:
                self._generation[lookup] = self._generation.get(lookup, 0) + 1
                for cached in (self._cached, self._rows):
                    for key in [key for key in cached if key[0] == lookup]:
                        del cached[key]


def rows_key(lookup: str, inputs: Mapping[str, Any]) -> Key | None:
    """Return where the rows for converted inputs are cached, however these were written; None for unhashable ones."""
    try:
        return lookup, frozenset(inputs.items())
    except TypeError:
        return None


def fetch(
    lookup: Lookup,
    inputs: Mapping[str, Any],
    cache: LookupCache,
    key: Key,
    sender: Sender,
    day: date,
    charged: Callable[[Lookup, Charge], None] | None = None,
) -> Steps[Options]:
    """Make the request that `begin` assigned to the caller, and complete it for all waiting callers.

    `charged` is told what the list cost, since it should have been free.
    """
    generation = cache.generation(lookup.id)
    try:
        items: list[Any] = []
        if lookup.request is not None:
            reply = yield from exchange(build_call(lookup, inputs, sender.credential.wire), sender)
            if charged is not None:
                charged(lookup, reply.charge)
            items = _items(lookup, reply)
            cache.keep_rows(rows_key(lookup.id, inputs), items, lookup.ttl, generation)

        def write(lang: str) -> tuple[Option, ...]:
            entries = lookup.options.entries(items, day, inputs, lang)
            return tuple(Option(one.value, one.label, one.hint) for one in entries)

        options = Options(write("en"), write=write)
    except Exception as error:
        cache.fail(key, error)
        raise
    except BaseException:  # cancelled, but other callers may wait for the same list
        cache.fail(key, _CancelledByCaller())
        raise
    cache.finish(key, options, lookup.ttl, generation)
    return options


def wait(future: Future[Options]) -> Steps[Options | None]:
    """Wait for another caller's request; None when that caller was cancelled."""
    try:
        options: Options = yield Await(future)
    except _CancelledByCaller:
        return None
    return options


def page_of(options: Options, search: str | None = None, limit: int | None = None, after: str | None = None) -> Options:
    """Return the options that contain every word of the search: at most `limit` of them, behind the value `after`."""
    words = (search or "").casefold().split()
    if not words and limit is None and after is None:
        return options
    if limit is not None and not (type(limit) is int and 1 <= limit <= MAX_LIMIT):
        raise InputError(say("options_limit", most=MAX_LIMIT), field="limit")
    found = [
        o for o in options.options if all(word in f"{o.label} {o.hint or ''} {o.value}".casefold() for word in words)
    ]
    if after is not None:
        place = next((at for at, option in enumerate(found, 1) if option.value == after), None)
        if place is None:
            raise InputError(say("options_after", value=after), remedy=say("options_after_remedy"), field="after")
        found = found[place:]
    page = found[:limit]
    return Options(tuple(page), options.cached, next=page[-1].value if len(page) < len(found) else None)


def _items(lookup: Lookup, reply: Reply) -> list[Any]:
    try:
        return items_in(reply.value, lookup.answer_in)
    except ValueError as error:
        raise BadReply(say("reply_unexpected", why=reason_of(error)), reason="reply_unexpected") from None


Inputs = Mapping[str, Any]


class PickedRows:
    """Finds what was picked in the cached lists of one credential, and keeps the lists that a run had to pay for."""

    def __init__(self, catalog: Catalog, cache: LookupCache) -> None:
        self._catalog = catalog
        self._cache = cache

    def find(self, action: Action, inputs: Inputs) -> dict[str, Any] | None:
        """Return the picked item; None when the action picks none, or its list is not at hand or lacks it."""
        place = self._place(action, inputs)
        rows = self._cache.rows(place[1]) if place else None
        try:
            return pick(rows, action.shape["pick"], inputs) if rows is not None else None
        except NotListed:  # it may have been added since
            return None

    def keep(self, action: Action, inputs: Inputs, reply: Reply) -> None:
        """Cache the rows of an answer to a run, so that the next one need not ask."""
        place = self._place(action, inputs)
        if place:
            lookup, key = place
            rows = items_in(reply.value, action.answer_in)
            self._cache.keep_rows(key, rows, lookup.ttl, self._cache.generation(lookup.id))

    def _place(self, action: Action, inputs: Inputs) -> tuple[Lookup, Key] | None:
        """Return the lookup of the picked input, and where the rows for these inputs are cached."""
        field = action.picked
        if field is None or field.lookup is None:
            return None
        lookup = self._catalog.lookup(field.lookup.id)
        try:
            key = rows_key(lookup.id, self._catalog.inputs(lookup).clean(lookup_inputs(field.lookup, inputs)))
        except InputError:
            return None
        return None if key is None else (lookup, key)


def lookup_inputs(use: LookupUse, inputs: Inputs) -> dict[str, Any]:
    """Return the inputs of a dropdown's own list, out of those of the form."""
    sources = {name: _source(source, inputs) for name, source in use.with_.items()}
    return {name: value for name, value in sources.items() if value is not None}


def _source(source: Any, inputs: Inputs) -> Any:
    return inputs.get(source[1:]) if isinstance(source, str) and source.startswith("$") else source
