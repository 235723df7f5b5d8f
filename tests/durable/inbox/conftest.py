"""The hub's fixtures."""

from hub_fixtures import house, hub, subscriber

__all__ = ["house", "hub", "subscriber"]
