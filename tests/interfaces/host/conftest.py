"""Fixtures: a new host against the sandbox for each test."""

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
    """As in production: callers need their own key, loopback addresses are refused."""
    with running(desk, tmp_path, trial=False) as host:
        yield host
