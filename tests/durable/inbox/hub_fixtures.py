"""Fixtures for the hub and for deliveries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from hub_house import House, Subscriber, on_socket
from service_desk import Desk

from connector.durable.inbox import registration
from connector.durable.inbox.ingest import Intake


@pytest_asyncio.fixture
async def house(desk: Desk, tmp_path: Path) -> AsyncIterator[House]:
    house = House(desk, tmp_path)
    yield house
    await house.aclose()


@pytest_asyncio.fixture
async def hub(house: House) -> AsyncIterator[House]:
    """A house whose hub is registered at the sandbox."""
    with on_socket(Intake(house.database, clock=house.clock)) as url:
        house.context.public_url = url
        await registration.ensure(house.context, house.credential_id)
        yield house


@pytest.fixture
def subscriber() -> Iterator[Subscriber]:
    subscriber = Subscriber()
    yield subscriber
    subscriber.close()
