"""Summaries of manifests for list responses, and lookup of a manifest by id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from connector.core.errors import InputError, NotFound
from connector.core.manifest.model import Manifest

M = TypeVar("M", bound=Manifest)
SUMMARY_KEYS = (
    *("id", "area", "title", "description", "effect", "repeat", "source", "events"),
    *("cost", "duration", "interval", "ttl", "aliases", "deprecated"),
)


def summary(manifest: Manifest) -> dict[str, Any]:
    """Return the keys of a manifest that a list shows."""
    shown = {name: manifest.raw[name] for name in SUMMARY_KEYS if name in manifest.raw}
    return {**shown, "required": [field.name for field in manifest.inputs if field.required]}


def find_manifest(find: Callable[[str], M], id: str) -> M:
    """Return the manifest with this id; raise NotFound instead of an input error."""
    try:
        return find(id)
    except InputError as error:
        raise NotFound(error.message, remedy=error.remedy, field=error.field, outcome="not_sent") from None
