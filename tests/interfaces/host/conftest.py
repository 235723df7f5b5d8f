"""A host for the sandbox, begun anew for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from running_host import RunningHost, running
from service_desk import Desk


@pytest.fixture
def host(desk: Desk, tmp_path: Path) -> Iterator[RunningHost]:
    with running(desk, tmp_path) as host:
        yield host


@pytest.fixture
def real_host(desk: Desk, tmp_path: Path) -> Iterator[RunningHost]:
    """The same as it runs for real: no key is lent, no loopback address is allowed."""
    with running(desk, tmp_path, trial=False) as host:
        yield host
