"""Dropdowns that were written as JSON before: as long as a list stays in the cache, it is written once."""

from __future__ import annotations

from cachetools import LRUCache

from connector.core.values import json
from connector.runtime.result import Options

MOST_LISTS = 256


class WrittenOptions:
    """Knows a list by its identity; it holds on to the list, so that no other can have the same."""

    def __init__(self) -> None:
        self._written: LRUCache[int, tuple[Options, bytes]] = LRUCache(MOST_LISTS)

    def of(self, options: Options) -> bytes:
        """The answer for this list."""
        found = self._written.get(id(options))
        if found is None:
            found = self._written[id(options)] = (options, json.encode_clean(options.as_dict()))
        return found[1]
