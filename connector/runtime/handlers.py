"""Finds a manifest's handler: `actions/<area>/<id>.py`, `triggers/<area>/<id>.py` or `lookups/<id>.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from connector.core.errors import InputError
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import Text
from connector.core.problem import Problem


def handler_of(manifest: Manifest) -> ModuleType | None:
    """The module that says what the manifest cannot, if there is one."""
    return _module(_module_name(manifest))


def offered(manifest: Manifest, function: str) -> Callable[..., Any] | None:
    """One function of the handler, if it offers it."""
    return getattr(handler_of(manifest), function, None)


def required(manifest: Manifest, function: str) -> Callable[..., Any]:
    """One function that the handler must offer."""
    found = offered(manifest, function)
    if found is None:
        raise TypeError(f"{_module_name(manifest)} offers no {function}")
    return found


def check(manifest: Action | Trigger, inputs: dict[str, Any]) -> None:
    """Lets the handler look at the inputs; its problem becomes an input error in the manifest's words."""
    look = offered(manifest, "check")
    if look is None:
        return
    try:
        look(inputs)
    except Problem as problem:
        text = manifest.messages[problem.name]
        en, de = (sentence.format(**problem.values) for sentence in text)
        raise InputError(Text(en, de), field=problem.field) from None


def _module_name(manifest: Manifest) -> str:
    match manifest:
        case Action():
            return f"actions.{manifest.area}.{manifest.id}"
        case Trigger():
            return f"triggers.{manifest.area}.{manifest.id}"
        case Lookup():
            return f"lookups.{manifest.id}"
        case _:
            raise TypeError(f"{manifest.kind} has no handler")


@lru_cache(maxsize=256)
def _module(name: str) -> ModuleType | None:
    try:
        found = find_spec(name)
    except ModuleNotFoundError:  # not even the area has handlers
        return None
    return import_module(name) if found else None
