"""Make: a custom app in local-development layout, with a module per action, triggers, and an RPC per dropdown."""

from connector.export.make.package import build

UNGUARDED = ("service",)
"""The ways in which neither a key nor a look-up guards a write."""

__all__ = ["UNGUARDED", "build"]
