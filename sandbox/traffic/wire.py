"""The wire names that the service description leaves open, as the sandbox uses them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

OVERRIDE_VARIABLE = "KONTOR_WIRE"


class Marker(NamedTuple):
    """How a request is marked as dropdown use."""

    location: Literal["query", "header", "none"]
    name: str
    value: str

    def is_set(self, query: Mapping[str, str], headers: Mapping[str, str]) -> bool:
        if self.location == "query":
            return query.get(self.name) == self.value
        if self.location == "header":
            return headers.get(self.name.lower()) == self.value
        return False


class Wire:
    """Wire names by dotted key."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        marker = self._values["lookup.marker"]
        location = marker.get("in", "none")
        if location not in ("query", "header", "none"):
            raise ValueError(f"wire key lookup.marker: 'in' is {location!r}, must be query, header or none")
        self.marker = Marker(location, str(marker.get("name", "")), str(marker.get("value", "")))
        self.payment_body: Mapping[str, str | None] = self._values["payment.body"]
        self.connect_body: Mapping[str, str | None] = self._values["connect.body"]

    @classmethod
    def load(cls, override: Path | None = None) -> Wire:
        """Load the shipped names, overridden by the file `override` or KONTOR_WIRE."""
        shipped = yaml.safe_load((resources.files("connector.manifests") / "wire.yaml").read_text(encoding="utf-8"))
        values = {
            f"{group}.{name}": entry["value"] for group, names in shipped.items() for name, entry in names.items()
        }
        if override is None and (named := os.environ.get(OVERRIDE_VARIABLE)):
            override = Path(named)
        if override is not None:
            _apply_override(values, yaml.safe_load(override.read_text(encoding="utf-8")) or {}, override)
        return cls(values)

    def name(self, key: str) -> str | None:
        """Return the wire name for `key`, or None if it is configured as absent."""
        if key not in self._values:
            raise KeyError(f"there is no wire key {key!r}; known are {', '.join(sorted(self._values))}")
        value = self._values[key]
        if value is not None and not isinstance(value, str):
            raise TypeError(f"wire key {key!r} is not a single name")
        return value


def _apply_override(values: dict[str, Any], override: Any, source: Path) -> None:
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
            # Mappings are merged, so that overriding one body property keeps the others.
            values[key] = {**shipped, **value} if isinstance(shipped, dict) else value
