"""Connects the governors of this process with the rate windows in the store.

Where a SQLite database is open, its writer asks, with the other changes: each further connection would invalidate what
the other has in memory. Where it is not, a connection of its own asks in the caller's thread, which takes a tenth of a
millisecond, so that a read does not open the database. Where its lock must be waited for, and for PostgreSQL, a thread
asks. So no event loop waits for a disk or a network.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from connector.client.governor import Governor
from connector.client.shared_window import Granted, Request

if TYPE_CHECKING:
    from connector.store import Database
    from connector.store.rate_windows import RateWindows

BUSY_SECONDS = 1.5
"""How long the thread tries to change a window that others are changing."""
CLOSE_SECONDS = 2.0


class _Job(NamedTuple):
    scope: str
    request: Request
    speed: float
    future: Future[Granted]


class SharedWindows:
    """The rate windows of one database, opened on first use."""

    def __init__(
        self,
        location: str | None,
        database: Callable[[], Database],
        opened: Callable[[], Database | None] = lambda: None,
    ) -> None:
        """`location`: a folder or a URL, by default `KONTOR_DATA`; `database` opens what is there.

        `opened` returns it where it is open already.
        """
        self._location = location
        self._database, self._opened = database, opened
        self._windows: RateWindows | None = None
        self._in_use = threading.Lock()
        """Held while the connection is used."""
        self._starting = threading.Lock()
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._governors: WeakSet[Governor] = WeakSet()

    def share(self, governor: Governor, scope: str) -> None:
        """Let a governor take its permits from here, until this is closed or another database is attached."""
        governor.attach(self, scope)
        self._governors.add(governor)

    def exchange(self, scope: str, request: Request, speed: float) -> Future[Granted]:
        """Report and ask. The future may be done already; it fails when the database cannot be reached."""
        database = self._opened()
        if database is not None and database.is_local:
            from connector.store.rate_windows import exchange_in

            with contextlib.suppress(RuntimeError):  # closed meanwhile
                return database.write(partial(exchange_in, scope=scope, request=request, speed=speed), durable=False)
        job = _Job(scope, request, speed, Future())
        if not self._done_here(job):
            with self._starting:
                self._queue.put(job)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="kontor-rate", daemon=True)
                    self._thread.start()
        return job.future

    def close(self) -> None:
        """Finish what is queued, and close the connection. It opens again on the next use."""
        for governor in list(self._governors):
            governor.detach(self)
        with self._starting:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._queue.put(None)
                thread.join(CLOSE_SECONDS)
        if self._in_use.acquire(timeout=CLOSE_SECONDS):
            self._disconnect()
            self._in_use.release()

    def _done_here(self, job: _Job) -> bool:
        """Do it in the caller's thread if nothing must be waited for."""
        if self._windows is None or not self._windows.is_sqlite or not self._in_use.acquire(blocking=False):
            return False
        from connector.store.rate_windows import WindowBusy

        try:
            windows = self._windows
            if windows is None:  # closed meanwhile
                return False
            granted = windows.exchange(job.scope, job.request, job.speed)
        except WindowBusy:
            return False
        except Exception as error:
            self._disconnect()
            job.future.set_exception(error)
            return True
        finally:
            self._in_use.release()
        job.future.set_result(granted)
        return True

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            try:
                with self._in_use:
                    granted = self._exchange(job)
            except Exception as error:
                job.future.set_exception(error)
            else:
                job.future.set_result(granted)

    def _exchange(self, job: _Job) -> Granted:
        from connector.store.rate_windows import WindowBusy, pause_before_retry

        try:
            if self._windows is None:
                self._windows = self._open()
            until, attempt = time.monotonic() + BUSY_SECONDS, 1
            while True:
                try:
                    return self._windows.exchange(job.scope, job.request, job.speed)
                except WindowBusy:
                    if time.monotonic() > until:
                        raise
                time.sleep(pause_before_retry(attempt))
                attempt += 1
        except WindowBusy:
            raise
        except Exception:
            self._disconnect()
            raise

    def _open(self) -> RateWindows:
        from connector.store.location import data_location
        from connector.store.rate_windows import connect, open_existing

        return open_existing(self._location or data_location()) or connect(self._database().engine)

    def _disconnect(self) -> None:
        windows, self._windows = self._windows, None
        if windows is not None:
            windows.close()
