"""Caches the JSON encoding of options that the runtime has cached."""

from __future__ import annotations

from cachetools import LRUCache

from connector.core.values import json
from connector.runtime.result import Options

MAX_LISTS = 256


class OptionsCache:
    """Keyed by object identity; holds a reference, so that the id is not reused."""

    def __init__(self) -> None:
        self._encoded: LRUCache[int, tuple[Options, bytes]] = LRUCache(MAX_LISTS)

    def encode(self, options: Options) -> bytes:
        """Return the encoded response body."""
        found = self._encoded.get(id(options))
        if found is None:
            found = self._encoded[id(options)] = (options, json.encode_clean(options.as_dict()))
        return found[1]
