"""Fixtures: a new host against the sandbox for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.host.running_host import RunningHost, running
from tests.support.running_sandbox import RunningSandbox


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path) as host:
        yield host


@pytest.fixture
def real_host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    """As in production: callers need their own key, loopback addresses are refused."""
    with running(sandbox, tmp_path, trial=False) as host:
        yield host
