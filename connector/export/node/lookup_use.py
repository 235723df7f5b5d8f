"""How a form uses a lookup: where the lookup's own inputs come from."""

from __future__ import annotations

from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Manifest


def lookup_use(manifest: Manifest, field: Field) -> dict[str, dict[str, Any]]:
    """The lookup's inputs: `{from: field}` of the same form, or `{value: fixed}`."""
    assert field.lookup is not None
    names = {one.name for one in manifest.inputs}
    found = {name: _source(value, names) for name, value in field.lookup.with_.items()}
    return {name: source for name, source in found.items() if source}


def _source(value: Any, names: set[str]) -> dict[str, Any]:
    if isinstance(value, str) and value.startswith("$"):
        return {"from": value[1:]} if value[1:] in names else {}
    return {"value": value}
