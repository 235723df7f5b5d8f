"""The pages of the console, a module for each subject; importing a module registers its pages with NiceGUI."""

from __future__ import annotations

from importlib import import_module

MODULES = (
    *("overview", "actions", "runs", "triggers", "approvals", "money", "subscriptions", "inbox", "settings", "operate"),
    *("tokens", "sandbox", "exports", "doctor", "not_found"),
)
ACCESS = ("people", "workspaces", "policy_changes")
"""Who has access has a folder of its own."""


def load() -> None:
    """Register all pages; repeated calls do nothing."""
    for name in ACCESS:
        import_module(f"connector.interfaces.console.access.{name}")
    modules = [import_module(f"{__name__}.{name}") for name in MODULES]
    modules[-1].register()
