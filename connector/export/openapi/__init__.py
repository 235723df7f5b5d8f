"""The export as OpenAPI 3.1: of the service as Kontor understands it, or of a Kontor host."""

from __future__ import annotations

from connector.export.openapi.package import build

UNGUARDED = ("service",)
"""The ways in which neither a key nor a look-up guards a write."""

__all__ = ["UNGUARDED", "build"]
