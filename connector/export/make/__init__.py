"""Make: a custom app in local-development layout, with a module per action, triggers, and an RPC per dropdown."""

from connector.export.lint.make import lint
from connector.export.make.package import build

__all__ = ["build", "lint"]
