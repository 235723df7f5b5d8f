"""The fixtures that pytest finds where Kontor is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from connector.testing import CannedService, Sandbox


@pytest.fixture
def kontor_sandbox() -> Iterator[Sandbox]:
    """The simulated service on a socket, new for each test."""
    from connector.testing import Sandbox

    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def kontor_service() -> CannedService:
    """A service that answers with the samples of the manifests, as a transport of httpx or on a mock of responses."""
    from connector.testing import CannedService

    return CannedService()
