"""Manifests as lists show them, and one of them whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from connector.core.errors import InputError, NotFound
from connector.core.manifest.model import Manifest

M = TypeVar("M", bound=Manifest)
SHOWN = (
    *("id", "area", "title", "description", "effect", "repeat", "source", "events"),
    *("cost", "duration", "interval", "ttl", "deprecated"),
)


def summary(manifest: Manifest) -> dict[str, Any]:
    """What a list shows of a manifest."""
    shown = {name: manifest.raw[name] for name in SHOWN if name in manifest.raw}
    return {**shown, "required": [field.name for field in manifest.inputs if field.required]}


def named(find: Callable[[str], M], id: str) -> M:
    """The manifest that an address names; one that is not there is not found, rather than a wrong input."""
    try:
        return find(id)
    except InputError as error:
        raise NotFound(error.message, remedy=error.remedy, field=error.field, outcome="not_sent") from None
