"""State shared by all sessions of one connector: manifests, database, cached dropdowns and usage counters."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from connector.core.credential import Credential
from connector.runtime.catalog import Catalog
from connector.runtime.heartbeat import Heartbeat
from connector.runtime.lookups import LookupCache
from connector.runtime.tally import Tally
from connector.runtime.unknown_runs import BeatObserver

if TYPE_CHECKING:
    from connector.store import Database


class SharedState(Catalog):
    """Created once for any number of credentials."""

    def __init__(self, data: str | None = None, *, separate_keys: bool = False) -> None:
        """`data`: a folder or the URL of a PostgreSQL database; by default `KONTOR_DATA`.

        With `separate_keys`, as on a host with several customers, each unknown API key gets a workspace of its own.
        """
        super().__init__()
        self.separate_keys = separate_keys
        self.workspaces_by_key: dict[str, str] = {}
        self._data = data
        self._caches: dict[str, LookupCache] = {}
        self._observers: dict[str, BeatObserver] = {}
        self._lock = threading.Lock()
        self.tally = Tally(lambda: self.database)
        self.heartbeat = Heartbeat(lambda: self.database)

    @property
    def database(self) -> Database:
        """The database, opened on first use."""
        with self._lock:
            if not hasattr(self, "_database"):
                from connector.store import open_database

                self._database = open_database(self._data)
            return self._database

    def lookup_cache(self, credential: Credential) -> LookupCache:
        """Return the dropdown cache shared by all sessions with the same key and `quelle` label."""
        with self._lock:
            return self._caches.setdefault(f"{credential.fingerprint} {credential.quelle}", LookupCache())

    def beat_observer(self, workspace: str) -> BeatObserver:
        """Return what this process has observed of the workspace's runs in progress."""
        with self._lock:
            return self._observers.setdefault(workspace, BeatObserver())

    def close(self) -> None:
        """Store the counted usage, and close the database if it was opened."""
        self.heartbeat.close()
        self.tally.flush()
        with self._lock:
            if hasattr(self, "_database"):
                self._database.close()
                del self._database
