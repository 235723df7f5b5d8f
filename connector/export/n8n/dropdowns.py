"""Collects the dropdowns of all forms: each way in which a lookup is used becomes a method that searches its options.

n8n tells such a method nothing about the field it is for, so that a lookup used with other inputs, or for a field that
may stay empty, needs a method of another name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Manifest
from connector.export.n8n.fields import place_of


class Dropdowns:
    """The methods so far, in the order in which they were first needed."""

    def __init__(self, lookups: frozenset[str]) -> None:
        self._lookups = lookups
        self._methods: dict[str, dict[str, Any]] = {}

    def method(self, manifest: Manifest, field: Field) -> tuple[str, list[str]]:
        """The method for a field, and the parameters whose change makes its options stale."""
        assert field.lookup is not None
        places = {one.name: place_of(one) for one in manifest.inputs}
        sources = {name: _source(value, places) for name, value in field.lookup.with_.items()}
        inputs = {name: one for name, one in sources.items() if one}
        use: dict[str, Any] = {"lookup": field.lookup.id, "inputs": inputs}
        wanted = _name(field.lookup.id, field.lookup.with_)
        if not field.required and field.default is None:
            use["optional"] = True
            wanted = f"{wanted}_or_none"
        name, number = wanted, 2
        while self._methods.get(name, use) != use:
            name, number = f"{wanted}_{number}", number + 1
        self._methods[name] = use
        return name, [one["from"] for one in inputs.values() if "from" in one]

    def offers(self, field: Field) -> bool:
        """Whether the package holds the field's lookup."""
        return field.lookup is not None and field.lookup.id in self._lookups

    @property
    def methods(self) -> Mapping[str, Mapping[str, Any]]:
        """Every method: its lookup, where the lookup's own inputs come from, and whether nothing may be chosen."""
        return dict(sorted(self._methods.items()))

    @property
    def used(self) -> frozenset[str]:
        """The lookups that some form uses."""
        return frozenset(use["lookup"] for use in self._methods.values())


def _source(value: Any, places: Mapping[str, str]) -> dict[str, Any] | None:
    if isinstance(value, str) and value.startswith("$"):
        place = places.get(value[1:])
        return {"from": place} if place else None
    return {"value": value}


def _name(lookup: str, with_: Mapping[str, Any]) -> str:
    parts = [lookup]
    for name, value in with_.items():
        if isinstance(value, str) and value.startswith("$"):
            parts.append(f"by_{name}")
        else:
            parts.append(name if value is True else str(value))
    return re.sub(r"[^A-Za-z0-9_]", "_", "_".join(parts))
