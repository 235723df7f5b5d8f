"""Upkeep is tested with the hub's fixtures."""

from tests.durable.inbox.hub_fixtures import hub_host

__all__ = ["hub_host"]
