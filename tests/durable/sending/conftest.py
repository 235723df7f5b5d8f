"""Senders are tested with the hub's fixtures."""

from tests.durable.inbox.hub_fixtures import subscriber

__all__ = ["subscriber"]
