"""Finds the module of a manifest with `code`: `actions/<area>/<id>.py` or `triggers/<area>/<id>.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from connector.core.manifest.model import Action, Manifest, Trigger


def offered(manifest: Manifest, function: str) -> Callable[..., Any] | None:
    """One function of the manifest's own module; None when it has no module, or the module does not offer it."""
    found: Callable[..., Any] | None = attribute(manifest, function)
    return found


def attribute(manifest: Manifest, name: str) -> Any:
    """What the manifest's own module calls so; None when there is no such thing."""
    if not isinstance(manifest, Action | Trigger) or not manifest.code:
        return None
    return getattr(_module(f"{manifest.kind}s.{manifest.area}.{manifest.id}"), name, None)


@lru_cache(maxsize=64)
def _module(name: str) -> ModuleType:
    return import_module(name)
