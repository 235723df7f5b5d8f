"""Dropdowns: a hidden trigger for each use of a lookup, because a field can hand it nothing but the form's values.

Where a use fixes an input of the lookup (`module: duo`), or takes it from another field, that belongs to the hidden
trigger; two fields with the same use share one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Lookup, Manifest
from connector.export.zapier.wording import headline
from connector.runtime.connector import Connector

PREFIX = "options_"
ANY_DAY = date(2000, 1, 1)


class Dropdowns:
    """All hidden triggers of a package, collected while forms are written."""

    def __init__(self, connector: Connector, lang: str) -> None:
        self._connector = connector
        self._lang = lang
        self.triggers: dict[str, dict[str, Any]] = {}
        self.held: set[str] = set()

    def of(self, field: Field, manifest: Manifest) -> dict[str, Any]:
        """What a field says about its dropdown."""
        assert field.lookup is not None
        lookup = self._connector.lookup(field.lookup.id)
        if _is_table(lookup):
            self.held.add(lookup.id)
            return {"choices": _choices(lookup, self._lang)}
        key = self.add(lookup, field.lookup.with_)
        sources = {name: _source(value) for name, value in field.lookup.with_.items()}
        form = {one.name for one in manifest.inputs}
        needed = [
            source
            for one in lookup.inputs
            if one.required and (source := sources.get(one.name)) is not None and source in form
        ]
        return {"dynamic": f"{key}.id.name", **({"dependsOn": needed} if needed else {})}

    def add(self, lookup: Lookup, use: Mapping[str, Any]) -> str:
        """The key of the hidden trigger for this use."""
        fixed = {name: value for name, value in use.items() if _source(value) is None}
        taken = {name: source for name, value in use.items() if (source := _source(value)) is not None}
        words = [name if value is True else str(value) for name, value in fixed.items()]
        key = "_".join([PREFIX + lookup.id, *words, *(["by", *taken.values()] if taken else [])])
        if key not in self.triggers:
            self.held.add(lookup.id)
            self.triggers[key] = self._trigger(key, lookup, fixed, taken)
        return key

    def add_unused(self) -> None:
        """A lookup that no field uses is there all the same, with its inputs under their own names."""
        for lookup in self._connector.lookups.values():
            if _is_table(lookup):
                self.held.add(lookup.id)
            elif lookup.id not in self.held:
                self.add(lookup, {one.name: f"${one.name}" for one in lookup.inputs})

    def _trigger(self, key: str, lookup: Lookup, fixed: Mapping[str, Any], taken: Mapping[str, str]) -> dict[str, Any]:
        sample = lookup.sample[0]
        return {
            "key": key,
            "noun": headline(lookup.title, self._lang),
            "display": {
                "label": headline(lookup.title, self._lang),
                "description": lookup.summary.in_(self._lang),
                "hidden": True,
            },
            "operation": {
                "type": "polling",
                "canPaginate": True,
                "perform": {"does": "options", "id": lookup.id, "fixed": dict(fixed), "taken": dict(taken)},
                "inputFields": [
                    {"key": taken[one.name], "label": headline(one.label, self._lang), "required": one.required}
                    for one in lookup.inputs
                    if one.name in taken
                ],
                "outputFields": [{"key": "id", "label": "ID"}, {"key": "name", "label": "Name"}],
                "sample": {"id": sample["value"], "name": sample["label"], "hint": sample["hint"]},
            },
        }


def _is_table(lookup: Lookup) -> bool:
    """Whether the options never change: they are written into the field itself."""
    return "table" in lookup.raw["options"]


def _choices(lookup: Lookup, lang: str) -> list[dict[str, str]]:
    options = lookup.options.entries([], ANY_DAY, lang=lang)
    return [{"value": one.value, "sample": one.value, "label": one.label} for one in options]


def _source(value: Any) -> str | None:
    """The field that an input comes from, or None where it is fixed."""
    return value[1:] if isinstance(value, str) and value.startswith("$") else None
