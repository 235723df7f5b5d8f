"""Power Automate: a custom connector as Swagger 2.0 definition, properties, and a script where one is needed."""

from connector.export.power_automate.package import build

UNGUARDED = ("service",)
"""The ways in which neither a key nor a look-up guards a write."""

__all__ = ["UNGUARDED", "build"]
