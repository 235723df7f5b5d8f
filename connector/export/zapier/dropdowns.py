"""Dropdowns: a hidden trigger for each use of a lookup, because a field can hand it nothing but the form's values.

Where a use fixes an input of the lookup (`module: duo`), or takes it from another field, that belongs to the hidden
trigger; two fields with the same use share one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.model import Lookup, Manifest
from connector.export.shape import ExportOptions
from connector.export.zapier.inputs import Reader
from connector.export.zapier.requests import sending
from connector.export.zapier.sources import function, literal, part
from connector.export.zapier.titles import headline
from connector.runtime.connector import Connector
from connector.runtime.handlers import required

PREFIX = "options_"
STATIC = "currencies"
"""A lookup that never changes: its options are written into the field itself."""


class Dropdowns:
    """All hidden triggers of a package, collected while forms are written."""

    def __init__(self, connector: Connector, options: ExportOptions, constants: Mapping[str, Any]) -> None:
        self._connector = connector
        self._options = options
        self._constants = constants
        self.triggers: dict[str, dict[str, Any]] = {}
        self.held: set[str] = set()

    def of(self, field: Field, manifest: Manifest) -> dict[str, Any]:
        """What a field says about its dropdown."""
        assert field.lookup is not None
        lookup = self._connector.lookup(field.lookup.id)
        if lookup.id == STATIC:
            return {"choices": self._static(lookup)}
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
            if lookup.id == STATIC:
                self._static(lookup)
            elif lookup.id not in self.held:
                self.add(lookup, {one.name: f"${one.name}" for one in lookup.inputs})

    def _trigger(self, key: str, lookup: Lookup, fixed: Mapping[str, Any], taken: Mapping[str, str]) -> dict[str, Any]:
        lang = self._options.lang
        reads = [one for one in lookup.inputs if one.name in taken]
        lines = f"{self._inputs(lookup, fixed, taken)}\n{self._answer(lookup)}\n{_ENDING}"
        sample = lookup.sample[0]
        return {
            "key": key,
            "noun": headline(lookup.title, lang),
            "display": {
                "label": headline(lookup.title, lang),
                "description": lookup.description.in_(lang),
                "hidden": True,
            },
            "operation": {
                "type": "polling",
                "perform": function(lines, self._constants),
                "inputFields": [
                    {"key": taken[one.name], "label": headline(one.label, lang), "required": one.required}
                    for one in reads
                ],
                "outputFields": [{"key": "id", "label": "ID"}, {"key": "name", "label": "Name"}],
                "sample": {"id": sample["value"], "name": sample["label"], "hint": sample["hint"]},
            },
        }

    def _inputs(self, lookup: Lookup, fixed: Mapping[str, Any], taken: Mapping[str, str]) -> str:
        reader = Reader(self._options.lang, checks=self._options.via == "service")
        chosen = {one.name: one.default for one in lookup.inputs if one.default is not None} | dict(fixed)
        lines = [reader.all([one for one in lookup.inputs if one.name in taken], taken)]
        lines += [f"inputs.{name} ??= {literal(value)};" for name, value in chosen.items()]
        return "\n".join(lines)

    def _answer(self, lookup: Lookup) -> str:
        if self._options.via == "host":
            return (
                f"const {{ data: answer }} = await z.request({{ method: 'POST', url: '/v1/lookups/{lookup.id}', "
                "body: { inputs } });\nconst { options } = answer;"
            )
        sent = "const items = [];"
        if lookup.request is not None:
            sent = f"{sending(lookup, self._options.wire)}\nconst items = rows(z, answer, UNREADABLE);"
        own = part("options", lookup.id)
        return f"{sent}\n{own if own is not None else _declared(lookup)}"

    def _static(self, lookup: Lookup) -> list[dict[str, str]]:
        from datetime import date

        self.held.add(lookup.id)
        options = required(lookup, "options")([], {}, date.min)
        return [{"value": one["value"], "sample": one["value"], "label": one["label"]} for one in options]


_ENDING = (
    "return options.map(({ value, label, hint }) => ({ id: value, name: hint ? `${label} – ${hint}` : label, hint }));"
)


def _declared(lookup: Lookup) -> str:
    def at(path: str) -> str:
        return "item" + "".join(f"?.{name}" for name in path.split(".")) if path else "''"

    value, label, hint = at(lookup.value), at(lookup.label), at(lookup.hint)
    return (
        f"const options = items.filter((item) => {value} !== undefined && {value} !== null)"
        f".map((item) => ({{ value: {value}, label: {label} ?? {value}, hint: {hint} ?? '' }}));"
    )


def _source(value: Any) -> str | None:
    """The field that an input comes from, or None where it is fixed."""
    return value[1:] if isinstance(value, str) and value.startswith("$") else None
