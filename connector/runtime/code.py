"""Finds the handler module of a manifest with `code`: `actions/<area>/<id>.py` or `triggers/<area>/<id>.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from connector.core.manifest.model import Action, Manifest, Trigger


def handler_function(manifest: Manifest, function: str) -> Callable[..., Any] | None:
    """Return a function of the manifest's own module; None when there is no module or it lacks the function."""
    found: Callable[..., Any] | None = attribute(manifest, function)
    return found


def attribute(manifest: Manifest, name: str) -> Any:
    """Return an attribute of the manifest's own module; None when there is none."""
    if not isinstance(manifest, Action | Trigger) or not manifest.code:
        return None
    return getattr(_module(f"connector.{manifest.kind}s.{manifest.area}.{manifest.id}"), name, None)


@lru_cache(maxsize=64)
def _module(name: str) -> ModuleType:
    return import_module(name)
