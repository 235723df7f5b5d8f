"""Hosts in processes of their own, which can be killed, frozen and given a wrong clock."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.histories.scene.processes import clean_environment, unused_port

TOKEN = "a-token-of-a-host-in-a-history-0123456789"
START_SECONDS = 40.0
LIBFAKETIME = (
    Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
    Path("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"),
    Path("/usr/lib/faketime/libfaketime.so.1"),
)


class Clock:
    """The wall clock of one host: real time plus an offset that can be changed while it runs."""

    IN_FORCE = 1
    """Seconds after which a host's clock has taken a step."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock-offset"
        self.step(0)

    def step(self, seconds: int) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.replace(self._file)

    def environment(self) -> dict[str, str]:
        library = next((path for path in LIBFAKETIME if path.exists()), None)
        if library is None:
            raise RuntimeError("libfaketime is not installed: apt-get install faketime")
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            # Each wait for Python's lock asks for the time while it holds that lock: to read a file then stalls a host.
            "FAKETIME_CACHE_DURATION": str(self.IN_FORCE),
            "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }


class Host:
    """A `kontor serve` that is started again whenever it was killed."""

    def __init__(
        self, number: int, kontor: Path, source: Path, environment: Mapping[str, str], log: Path, clock: Clock | None
    ) -> None:
        self.number = number
        self.port = unused_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.clock = clock
        self._command = [str(kontor), "serve", "--no-console", "--port", str(self.port), "--json"]
        faked = clock.environment() if clock else {}
        self._environment = clean_environment(source, **environment, **faked, KONTOR_HOST_TOKEN=TOKEN)
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.RLock()

    def start(self) -> None:
        """Start it and wait until it answers; does nothing while it runs."""
        with self._lock:
            ends = time.monotonic() + START_SECONDS
            while not self.is_running and time.monotonic() < ends:
                with self._log.open("a", encoding="utf-8") as log:
                    self._process = subprocess.Popen(
                        self._command, env=self._environment, stdout=subprocess.PIPE, stderr=log, text=True
                    )
                if self._wait_until_ready(self._process):
                    return
                time.sleep(0.5)  # its store may not be there yet
            if not self.is_running:
                raise RuntimeError(f"host {self.number} does not start: see {self._log}")

    @staticmethod
    def _wait_until_ready(process: subprocess.Popen[str]) -> bool:
        """Wait for the line with its address; without one it has ended."""
        assert process.stdout is not None
        line = process.stdout.readline()
        return bool(line) and bool(json.loads(line).get("ok"))

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    @contextmanager
    def kept_running(self) -> Iterator[None]:
        """Let nobody else kill or start it meanwhile."""
        with self._lock:
            yield

    def freeze(self) -> int | None:
        """Stop it; returns the process that was stopped, for `thaw`."""
        process = self._process
        if process is None or process.poll() is not None:
            return None
        process.send_signal(signal.SIGSTOP)
        return process.pid

    def thaw(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGCONT)
