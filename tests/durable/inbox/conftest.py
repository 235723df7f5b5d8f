"""The hub's fixtures."""

from tests.durable.inbox.hub_fixtures import hub, hub_host, subscriber

__all__ = ["hub", "hub_host", "subscriber"]
