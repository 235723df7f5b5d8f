"""The names on the wire that the service description leaves open, as this sandbox speaks them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

OVERRIDE_VARIABLE = "KONTOR_WIRE"


class Marker(NamedTuple):
    """How a caller says that a lookup is a dropdown's."""

    place: Literal["query", "header", "none"]
    name: str
    value: str

    def is_set(self, query: Mapping[str, str], headers: Mapping[str, str]) -> bool:
        if self.place == "query":
            return query.get(self.name) == self.value
        if self.place == "header":
            return headers.get(self.name.lower()) == self.value
        return False


class Wire:
    """Looks up wire names by their dotted key."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        marker = self._values["lookup.marker"]
        place = marker.get("in", "none")
        if place not in ("query", "header", "none"):
            raise ValueError(f"wire key lookup.marker: 'in' is {place!r}, must be query, header or none")
        self.marker = Marker(place, str(marker.get("name", "")), str(marker.get("value", "")))
        self.payment_body: Mapping[str, str | None] = self._values["payment.body"]
        self.connect_body: Mapping[str, str | None] = self._values["connect.body"]

    @classmethod
    def load(cls, override: Path | None = None) -> Wire:
        """Read the shipped names; lay the file `override`, or the one KONTOR_WIRE names, over them."""
        shipped = yaml.safe_load((resources.files("manifests") / "wire.yaml").read_text(encoding="utf-8"))
        values = {
            f"{group}.{name}": entry["value"] for group, names in shipped.items() for name, entry in names.items()
        }
        if override is None and (named := os.environ.get(OVERRIDE_VARIABLE)):
            override = Path(named)
        if override is not None:
            _lay_over(values, yaml.safe_load(override.read_text(encoding="utf-8")) or {}, override)
        return cls(values)

    def name(self, key: str) -> str | None:
        """Return the wire name for `key`, or None when the service is set up not to have it."""
        if key not in self._values:
            raise KeyError(f"there is no wire key {key!r}; known are {', '.join(sorted(self._values))}")
        value = self._values[key]
        if value is not None and not isinstance(value, str):
            raise TypeError(f"wire key {key!r} is not a single name")
        return value


def _lay_over(values: dict[str, Any], override: Any, source: Path) -> None:
    if not isinstance(override, dict) or not all(isinstance(names, dict) for names in override.values()):
        raise ValueError(f"{source}: wire names are nested as group, then name")
    for group, names in override.items():
        for name, value in names.items():
            key = f"{group}.{name}"
            if key not in values:
                raise ValueError(f"{source}: there is no wire key {key!r}; known are {', '.join(sorted(values))}")
            shipped = values[key]
            if isinstance(shipped, dict) != isinstance(value, dict):
                raise ValueError(
                    f"{source}: wire key {key!r} takes {'a mapping' if isinstance(shipped, dict) else 'a name'}"
                )
            # A mapping is completed, not replaced: whoever renames one body property keeps the others.
            values[key] = {**shipped, **value} if isinstance(shipped, dict) else value
