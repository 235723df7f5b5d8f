"""The pages of the console, one module each; importing a module registers its pages with NiceGUI."""

from __future__ import annotations

from importlib import import_module

MODULES = (
    *("overview", "actions", "action", "runs", "run", "triggers", "trigger", "approvals", "money"),
    *("subscriptions", "subscription", "inbox", "settings", "settings_key", "settings_budget", "settings_policy"),
    *("settings_alerts", "operate"),
    *("tokens", "sandbox", "exports", "doctor"),
    "lost",  # last: it takes every address that no other page has
)


def load() -> None:
    """Register all pages; repeated calls do nothing."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")
