"""The database of a history: SQLite on a small disk of its own, or a PostgreSQL server of its own."""

from __future__ import annotations

import contextlib
import errno
import shutil
import sqlite3
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path

from tests.histories.scene.postgres import PostgresServer

DISK_MEGABYTES = 24
DATABASE = "kontor.db"


class Store(ABC):
    """Where the hosts and the other clients keep their state."""

    location: str
    """The value of `KONTOR_DATA`."""

    @abstractmethod
    def backup(self) -> None:
        """Copy the database as it is now."""

    @abstractmethod
    def restore(self) -> None:
        """Put the copy back. Nobody may have the database open."""

    @abstractmethod
    def heal(self) -> None:
        """End every disturbance."""

    @abstractmethod
    def close(self) -> None:
        """Stop and remove it."""


class SqliteStore(Store):
    """A folder on a disk in memory that is small enough to be filled."""

    def __init__(self, folder: Path) -> None:
        self._disk = folder / "disk"
        self._disk.mkdir()
        # The history runs in a mount namespace of its own: the disk goes with its process.
        _run("mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m,mode=700", "tmpfs", str(self._disk))
        self.location = str(self._disk / "data")
        self._database = self._disk / "data" / DATABASE
        self._copy = folder / "backup.db"
        self._filler = self._disk / "filler"

    def backup(self) -> None:
        with (
            contextlib.closing(sqlite3.connect(self._database, timeout=30)) as live,
            contextlib.closing(sqlite3.connect(self._copy)) as copy,
        ):
            live.backup(copy)

    def restore(self) -> None:
        self.delete()
        shutil.copyfile(self._copy, self._database)

    def delete(self) -> None:
        """Delete the database under whoever has it open."""
        for ending in ("", "-wal", "-shm"):
            self._database.with_name(f"{DATABASE}{ending}").unlink(missing_ok=True)

    def fill(self) -> None:
        """Fill the disk to the last block."""
        block = bytes(4096)
        with self._filler.open("ab", buffering=0) as filler:
            try:
                while True:
                    filler.write(block)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def empty(self) -> None:
        self._filler.unlink(missing_ok=True)

    def heal(self) -> None:
        self.empty()

    def close(self) -> None:
        _run("umount", "--lazy", str(self._disk))


class PostgresStore(Store):
    """A database on a PostgreSQL server that can be frozen and killed."""

    def __init__(self, folder: Path) -> None:
        self.server = PostgresServer(folder / "postgres")
        self.server.start()
        self.server.create_database()
        self.location = self.server.url
        self._copy = self.server.folder / "backup.dump"

    def backup(self) -> None:
        self.server.dump(self._copy)

    def restore(self) -> None:
        self.server.create_database()
        self.server.load(self._copy)

    def heal(self) -> None:
        self.server.thaw()
        self.server.start()

    def close(self) -> None:
        self.server.thaw()
        self.server.kill()


def open_store(backend: str, folder: Path) -> Store:
    return PostgresStore(folder) if backend == "postgresql" else SqliteStore(folder)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)
