"""The marks by which Kontor finds its writes again: the service keeps them, and users never see them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from connector.core.manifest.load import library, load


@lru_cache(maxsize=1)
def own_marks() -> Mapping[str, frozenset[str]]:
    """The names of the marks, by the field that holds them, as the manifests of writes declare them."""
    declared = [tree["read_back"] for tree in load()["actions"].values() if "read_back" in tree]
    fields = {one["key_field"] for one in declared}
    return {
        field: frozenset(
            name for one in declared if one["key_field"] == field for name in (one["key_name"], one["digest_name"])
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
        return [without_marks(one) for one in value]
    if not isinstance(value, dict):
        return value
    marks, cleaned = own_marks(), {}
    for name, inner in value.items():
        if name in marks and isinstance(inner, dict):
            others = {own: one for own, one in inner.items() if own not in marks[name]}
            if others or not inner:
                cleaned[name] = others
        else:
            cleaned[name] = without_marks(inner) if isinstance(inner, (dict, list)) else inner
    return cleaned
