"""What a write is known by: its digest, and the marks by which it is found again at the service.

The digest of a write: equal for equal inputs, however they were written, on every host and in every package.

It begins with the version of its rules, so that digests stored by earlier releases can still be compared. The
TypeScript core computes the same one; `tests/cases` holds both to it.

The marks by which Kontor finds its writes again: the service keeps them, and users never see them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec

from connector.core.manifest.load import library, load
from connector.core.values import json

VERSION = "2"
_ENCODER = msgspec.json.Encoder(order="sorted", decimal_format="number")
_UNCHANGED = frozenset({str, int, bool, type(None)})


def digest(action_id: str, inputs: Mapping[str, Any]) -> str:
    """Return the digest of an action with validated inputs; null inputs count as absent."""
    present = {name: value for name, value in inputs.items() if value is not None}
    text = action_id.encode() + b"\n" + _ENCODER.encode(_canonical(present))
    return f"{VERSION}:{hashlib.sha256(text).hexdigest()}"


def is_of_this_version(stored: str) -> bool:
    """Whether a stored digest was made by the rules of this version."""
    return stored.startswith(f"{VERSION}:")


def digest_of_version_1(marked: Mapping[str, Any]) -> str:
    """Return the digest of version 1, which had no prefix, covered Kontor's own marks, and told `12.5` from `12.50`."""
    return hashlib.sha256(json.encode_clean(without_files(dict(sorted(marked.items()))))).hexdigest()


def without_files(value: Any) -> Any:
    """Return a value with files replaced by their size and digest."""
    kind = type(value)
    if kind is bytes:
        return {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
    if kind is dict:
        return {name: without_files(item) for name, item in value.items()}
    return [without_files(item) for item in value] if kind is list else value


def _canonical(value: Any) -> Any:
    """Return the value with numbers, date-times and files in their one form; the same object where nothing differs."""
    kind = type(value)
    if kind is Decimal:
        return _plain_number(value)
    if kind is dict:
        changed = None
        for name, item in value.items():
            if type(item) in _UNCHANGED:
                continue
            if type(item) is Decimal:
                text = str(item)
                if text[-1] != "0" and "E" not in text:  # as amounts mostly are
                    continue
                plain: Any = _shortened(item, text)
            else:
                plain = _canonical(item)
            if plain is not item:
                changed = dict(value) if changed is None else changed
                changed[name] = plain
        return value if changed is None else changed
    if kind is list or kind is tuple:
        return [item if type(item) in _UNCHANGED else _canonical(item) for item in value]
    if kind is float:
        return _plain_number(Decimal(repr(value)))
    if kind is datetime:
        return _utc_text(value)
    return without_files(value)


def _plain_number(number: Decimal) -> Decimal | msgspec.Raw:
    """Return a number in plain decimals without exponent and without trailing zeros."""
    text = str(number)
    return number if text[-1] != "0" and "E" not in text else _shortened(number, text)


def _shortened(number: Decimal, text: str) -> msgspec.Raw:
    if "E" in text:
        text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return msgspec.Raw(b"0" if text == "-0" else text.encode())


def _utc_text(moment: datetime) -> str:
    text = moment.astimezone(UTC).isoformat().removesuffix("+00:00")
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}Z"


@lru_cache(maxsize=1)
def own_marks() -> Mapping[str, frozenset[str]]:
    """The names of the marks, by the field that holds them, as the manifests of writes declare them."""
    declared = [tree["read_back"] for tree in load()["actions"].values() if "read_back" in tree]
    fields = {read_back["key_field"] for read_back in declared}
    return {
        field: frozenset(
            name
            for read_back in declared
            if read_back["key_field"] == field
            for name in (read_back["key_name"], read_back["digest_name"])
        )
        for field in fields
    }


@lru_cache
def may_show_marks(resource: str) -> bool:
    """Whether a resource has a field that may hold marks, or any fields at all."""
    declared = library()["resources"].get(resource, {}).get("fields")
    return not declared or any(field in declared for field in own_marks())


def without_marks(value: Any) -> Any:
    """The same value without our marks, wherever they stand; a field that held nothing else is left out."""
    if isinstance(value, list):
        return [without_marks(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    marks, cleaned = own_marks(), {}
    for name, inner in value.items():
        if name in marks and isinstance(inner, dict):
            others = {own: entry for own, entry in inner.items() if own not in marks[name]}
            if others or not inner:
                cleaned[name] = others
        else:
            cleaned[name] = without_marks(inner)
    return cleaned
