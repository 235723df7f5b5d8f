"""The export for Zapier: a JSON app whose functions do what the runtime does, as far as Zapier can."""

from __future__ import annotations

from connector.export.zapier.package import build
from connector.export.zapier.rules import lint

__all__ = ["build", "lint"]
