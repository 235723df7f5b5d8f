"""Finds the handler of a manifest: the class in `actions/<area>/<id>.py` or `triggers/<area>/<id>.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from connector.core.manifest.model import Action, Manifest, Trigger

if TYPE_CHECKING:
    from connector.core.handlers import Handler


def handler_function(manifest: Manifest, function: str) -> Callable[..., Any] | None:
    """Return a hook of the manifest's handler; None when it has none."""
    found: Callable[..., Any] | None = attribute(manifest, function)
    return found


def attribute(manifest: Manifest, name: str) -> Any:
    """Return an attribute of the manifest's handler; None when there is none."""
    if not isinstance(manifest, Action | Trigger) or not manifest.code:
        return None
    return getattr(_handler(f"connector.{manifest.kind}s.{manifest.area}.{manifest.id}"), name, None)


def class_name(id: str) -> str:
    """Return the name of a manifest's handler: `InitiatePayment`."""
    return "".join(part.capitalize() for part in id.split("_"))


@lru_cache(maxsize=64)
def _handler(module: str) -> type[Handler]:
    found: type[Handler] = getattr(import_module(module), class_name(module.rpartition(".")[2]))
    return found
