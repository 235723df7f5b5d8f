"""The pages of the console, one module each. Importing a module makes its pages known to NiceGUI."""

from __future__ import annotations

from importlib import import_module

MODULES = ("overview", "actions", "action", "triggers", "trigger", "sandbox", "exports", "doctor")


def load() -> None:
    """Makes all pages known; a second time does nothing."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")
