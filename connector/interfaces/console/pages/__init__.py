"""The pages of the console, one module each; importing a module registers its pages with NiceGUI."""

from __future__ import annotations

from importlib import import_module

MODULES = (
    *("overview", "actions", "action", "triggers", "trigger", "approvals"),
    *("tokens", "sandbox", "exports", "doctor"),
)


def load() -> None:
    """Register all pages; repeated calls do nothing."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")
