"""Wire names: what the service's description leaves open, above all query and body names.

`manifests/wire.yaml` holds an assumed name for each; the file named by `KONTOR_WIRE` overrides any of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from connector.core import compiled
from connector.core.errors import InputError
from connector.core.messages import say

SHIPPED = Path(__file__).parents[2] / "manifests" / "wire.yaml"

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-\[\]]{0,99}")
BODIES = frozenset({"payment.body", "connect.body"})
"""Keys whose value maps inputs to body properties, instead of being one name."""
MARKER = "lookup.marker"
CHOICES = {"rate.scope": ("key", "ip")}
"""Keys whose value is one of a few words, which no request carries."""
BELIEVED = "refusal.believed"
"""The key of the statuses that, with the service's error body, are taken to mean that nothing was done."""


@dataclass(frozen=True, slots=True)
class WireName:
    """One wire name: its value, the reason for it, and the sentence of the description that leaves it open."""

    key: str
    value: Any
    because: str
    open: str
    overridden: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """The query parameter or header that marks a call as filling a dropdown."""

    place: str
    name: str = ""
    value: str = ""


class Wire(Mapping[str, Any]):
    """All wire names by dotted key, overrides applied: `wire["opos.cutoff"]`."""

    def __init__(self, names: Mapping[str, WireName]) -> None:
        self.names = dict(names)
        self.marker = _marker(self.names[MARKER].value)

    @classmethod
    def load(cls, env: Mapping[str, str] = os.environ) -> Wire:
        """Load the shipped names and apply the overrides from the file in `KONTOR_WIRE`, if set."""
        path = env.get("KONTOR_WIRE", "").strip()
        return cls.with_overrides(_read_overrides(Path(path)), source=path) if path else cls(_shipped())

    @classmethod
    def with_overrides(cls, overrides: Mapping[str, Any], source: str = "overrides") -> Wire:
        """Apply `overrides` to the shipped names; they are nested like the shipped file, with plain values."""
        names = dict(_shipped())
        for key, value in _flatten(overrides, source):
            was = names[key]
            names[key] = WireName(
                key, _validated(key, value, was.value, source), was.because, was.open, overridden=True
            )
        return cls(names)

    @staticmethod
    def shipped() -> Mapping[str, WireName]:
        """Return the shipped names by dotted key."""
        return _shipped()

    def __getitem__(self, key: str) -> Any:
        return self.names[key].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@lru_cache(maxsize=1)
def _shipped() -> Mapping[str, WireName]:
    tree = compiled.load(
        "wire", str(SHIPPED.parent), [(str(SHIPPED), SHIPPED.stat())], partial(compiled.read_yaml, str(SHIPPED))
    )
    return {
        f"{group}.{name}": WireName(f"{group}.{name}", entry["value"], entry["because"], entry["open"])
        for group, entries in tree.items()
        for name, entry in entries.items()
    }


def _read_overrides(path: Path) -> Mapping[str, Any]:
    import yaml

    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))  # JSON is YAML
    except OSError as error:
        raise _invalid(str(path), say("wire_unreadable", path=path, why=error.strerror or error)) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        why = str(error).splitlines()[0]
        raise _invalid(str(path), say("wire_unreadable", path=path, why=why)) from None
    if tree is None:
        return {}
    if not isinstance(tree, Mapping):
        raise _invalid(str(path), say("wire_not_a_mapping", path=path))
    return tree


def _flatten(tree: Mapping[str, Any], source: str) -> Iterator[tuple[str, Any]]:
    known = _shipped()
    groups = {key.split(".")[0] for key in known}
    for group, entries in tree.items():
        if group not in groups or not isinstance(entries, Mapping):
            raise _unknown(str(group), source)
        for name, value in entries.items():
            if f"{group}.{name}" not in known:
                raise _unknown(f"{group}.{name}", source)
            yield f"{group}.{name}", value


def _validated(key: str, value: Any, shipped: Any, source: str) -> Any:
    """Return an override after checking that it can be sent."""
    if isinstance(value, Mapping) and "value" in value and key != MARKER and key not in BODIES:
        value = value["value"]  # same form as in the shipped file
    if key == MARKER:
        _marker(value, source)
    elif key in BODIES:
        if not isinstance(value, Mapping) or not all(_is_name(item) for item in value.values()):
            raise _invalid(key, say("wire_body_invalid", key=key, source=source))
        for name in value:
            if name not in shipped:
                raise _unknown(f"{key}.{name}", source, known=[f"{key}.{known}" for known in shipped])
        return {**shipped, **value}
    elif key in CHOICES:
        if value not in CHOICES[key]:
            choices = ", ".join(CHOICES[key])
            raise _invalid(key, say("wire_choice_invalid", key=key, source=source, choices=choices))
    elif key == BELIEVED:
        if not isinstance(value, list) or not all(type(status) is int and 400 <= status < 500 for status in value):
            raise _invalid(key, say("wire_statuses_invalid", key=key, source=source))
    elif value is not None and not _is_name(value):
        raise _invalid(key, say("wire_name_invalid", key=key, source=source))
    return value


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def _marker(value: Any, source: str = "wire.yaml") -> Marker:
    if value is None:
        return Marker("none")
    if isinstance(value, Mapping) and set(value) <= {"in", "name", "value"}:
        place = value.get("in")
        if place == "none":
            return Marker("none")
        if place in {"query", "header"} and _is_name(value.get("name")) and "value" in value:
            text = value["value"]
            return Marker(place, value["name"], str(text).lower() if isinstance(text, bool) else str(text))
    raise _invalid(MARKER, say("wire_marker_invalid", source=source))


def _unknown(key: str, source: str, known: list[str] | None = None) -> InputError:
    known = known or list(_shipped())
    close = get_close_matches(key, known, n=1, cutoff=0.5)
    remedy = say("did_you_mean", close=close[0]) if close else say("wire_key_list", keys=", ".join(known))
    return InputError(say("wire_key_unknown", key=key, source=source), remedy=remedy, field=key)


def _invalid(field: str, text: Any) -> InputError:
    return InputError(text, remedy=say("wire_remedy"), field=field)
