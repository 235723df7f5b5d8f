"""The engine finds what is due in the store and does it: `Engine` is the loop, its jobs are plain functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from connector.engine.loop import Engine

__all__ = ["Engine"]


def __getattr__(name: str) -> Any:
    """Loads the loop when it is first used: its jobs import this package too."""
    if name == "Engine":
        from connector.engine.loop import Engine

        return Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
