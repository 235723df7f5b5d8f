"""The pure middle: values, manifests, messages and errors. It names no endpoint and keeps no state."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, whose import alone would take a third of the command line's start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, by the modules in which its names stand."""

    def load(name: str) -> Any:
        if name in homes:
            from importlib import import_module

            return getattr(import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
