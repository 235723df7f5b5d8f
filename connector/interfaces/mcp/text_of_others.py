"""Says which texts of an answer the bank, a counterparty or somebody else has written: to an agent they are data.

The resources declare them (`from_others`). What no resource declares counts as written by others too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from connector.core.manifest.library import Library
from connector.core.manifest.resource_schema import fields_of
from connector.core.messages import say

MARK = "text_of_others"
"""The member of a document that lists where such texts stand, and says what they are."""
FREE = ("object", "any")
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def marked(document: Mapping[str, Any], places: Iterable[str], lang: str) -> dict[str, Any]:
    """Return a document that says first where texts of others stand in it; the same where there are none."""
    found = list(dict.fromkeys(places))
    note = say("mcp_text_of_others").in_(lang)
    return {MARK: {"note": note, "places": found}, **document} if found else dict(document)


def places_in(output: Any, resource: str, library: Library) -> list[str]:
    """Return where in the output of an action texts of others stand."""
    items = output.get("items") if isinstance(output, Mapping) else None
    if isinstance(items, list) and set(output) <= {"items"}:
        return sorted({place for item in items for place in _places(item, resource, "output.items[]", library)})
    return sorted(set(_places(output, resource, "output", library)))


def _places(value: Any, resource: str, path: str, library: Library) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _places(item, resource, f"{path}[]", library)
    elif not isinstance(value, Mapping) or resource not in library.resources:
        if _holds_text(value):
            yield path
    else:
        fields, others = fields_of(resource, library.resources), library.resources[resource].get("from_others", ())
        for name, inner in value.items():
            declared = fields.get(name)
            below = f"{path}.{name if PLAIN_NAME.fullmatch(name) else '*'}"
            if declared is not None and declared.is_resource:
                yield from _places(inner, declared.name, below, library)
            elif (declared is None or declared.name in FREE or name in others) and _holds_text(inner):
                yield below


def _holds_text(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_text, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_text, value))
    return isinstance(value, str) and bool(value.strip())
