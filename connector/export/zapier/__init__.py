"""The export for Zapier: an app as data, and a thin adapter that lets the TypeScript core do the work."""

from __future__ import annotations

from connector.export.zapier.package import build, install_words

__all__ = ["build", "install_words"]
