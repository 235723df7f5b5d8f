"""Fixtures for the hub and for deliveries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from connector.durable.inbox import registration
from connector.durable.inbox.ingest import Intake
from tests.durable.inbox.hub_host import HubHost, Subscriber, on_socket
from tests.support.running_sandbox import RunningSandbox


@pytest_asyncio.fixture
async def hub_host(sandbox: RunningSandbox, tmp_path: Path) -> AsyncIterator[HubHost]:
    hub_host = HubHost(sandbox, tmp_path)
    yield hub_host
    await hub_host.aclose()


@pytest_asyncio.fixture
async def hub(hub_host: HubHost) -> AsyncIterator[HubHost]:
    """A host whose hub is registered at the sandbox."""
    with on_socket(Intake(hub_host.database, clock=hub_host.clock)) as url:
        hub_host.context.public_url = url
        await registration.ensure(hub_host.context, hub_host.credential_id)
        yield hub_host


@pytest.fixture
def subscriber() -> Iterator[Subscriber]:
    subscriber = Subscriber()
    yield subscriber
    subscriber.close()
