"""The rows of lists that dropdowns were filled from, for runs that only need what was picked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.client import Reply
from connector.core.answers import NotListed, items_in, pick
from connector.core.errors import InputError
from connector.core.fields import LookupUse
from connector.core.manifest.model import Action, Lookup
from connector.runtime.catalog import Catalog
from connector.runtime.lookups import Key, LookupCache, rows_key

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
