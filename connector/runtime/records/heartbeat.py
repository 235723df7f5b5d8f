"""Raises the counters of the runs that this process works on, by which others see that it is alive."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from connector.core.timing import BEAT_SECONDS

if TYPE_CHECKING:
    from connector.store import Database

_log = logging.getLogger("kontor.runs")


class Heartbeat:
    """Increments the beat of every run that has been in progress since the last round."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._owners: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, owner: str) -> None:
        """Start beating for an attempt."""
        with self._lock:
            self._owners.add(owner)
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="kontor-heartbeat", daemon=True)
                self._thread.start()

    def end(self, owner: str) -> None:
        """Stop beating for an attempt."""
        with self._lock:
            self._owners.discard(owner)

    def close(self) -> None:
        """Stop the thread."""
        self._stopped.set()

    def _loop(self) -> None:
        from connector.store.runs import runs

        before: set[str] = set()
        while not self._stopped.wait(BEAT_SECONDS):
            with self._lock:
                now = set(self._owners)
            lasting = sorted(now & before)  # most runs end sooner and cost nothing here
            before = now
            if lasting:
                try:
                    self._database().write(partial(runs.beat, owners=lasting, now=datetime.now(UTC))).result()
                except Exception as error:
                    _log.warning("heartbeat not recorded: %s", type(error).__name__)
