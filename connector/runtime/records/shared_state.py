"""What all sessions of one connector share: database, counts and records, and what they remember of API keys."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from cachetools import LRUCache, TTLCache

from connector.core.service.credential import Credential
from connector.core.timing import BeatObserver
from connector.runtime.lookups import LookupCache
from connector.runtime.records.heartbeat import Heartbeat
from connector.runtime.records.rate_windows import RateTimeline
from connector.runtime.records.read_log import ReadLog
from connector.runtime.records.refusals import RefusalAudit
from connector.runtime.records.usage import UsageCounter

if TYPE_CHECKING:  # the client is imported with the first session
    from connector.client import KeyState
    from connector.core.writes.policy import Policy
    from connector.runtime.context import SendingHost
    from connector.runtime.records.rate_windows import SharedWindows
    from connector.runtime.requests.catalog import Catalog
    from connector.store import Database


MAX_POLICIES, POLICY_SECONDS = 1024, 2.0
MAX_KEYS = 4096
"""Keys and workspaces of which something is remembered; the longest unused is forgotten, and then found out again."""


class SharedState:
    """Created once for any number of credentials."""

    def __init__(self, catalog: Catalog, data: str | None, *, separate_keys: bool) -> None:
        self.catalog = catalog
        self.separate_keys = separate_keys
        """Whether each unknown API key gets a workspace of its own."""
        self.workspaces_by_key: dict[str, str] = {}
        self.policies: TTLCache[str, Policy] = TTLCache(MAX_POLICIES, POLICY_SECONDS)
        """The policies of workspaces, as they were moments ago."""
        self.host: SendingHost | None = None
        """Set where this process is a host."""
        self._data = data
        self._opened: Database | None = None
        self._opening = threading.Lock()
        """Held while the database is opened, which may take long; not by those who do not need it."""
        self._caches: LRUCache[str, LookupCache] = LRUCache(MAX_KEYS)
        self._observers: LRUCache[str, BeatObserver] = LRUCache(MAX_KEYS)
        self._lock = threading.Lock()
        self.usage = UsageCounter(lambda: self.database)
        self.heartbeat = Heartbeat(lambda: self.database)
        self.refusals = RefusalAudit(lambda: self.database)
        """Records in the audit log what somebody had no right to."""
        self.reads = ReadLog(self)
        self._windows: SharedWindows | None = None
        self._rate_timeline = RateTimeline(self.opened)

    @property
    def database(self) -> Database:
        """The database, opened on first use."""
        with self._opening:
            if self._opened is None:
                from connector.store import open_database

                self._opened = open_database(self._data)
            return self._opened

    def opened(self) -> Database | None:
        """Return the database where it is open already."""
        return self._opened

    def lookup_cache(self, credential: Credential) -> LookupCache:
        """Return the dropdown cache shared by all sessions with the same key and `quelle` label."""
        with self._lock:
            return self._caches.setdefault(f"{credential.fingerprint} {credential.quelle}", LookupCache())

    def beat_observer(self, workspace: str) -> BeatObserver:
        """Return what this process has observed of the workspace's runs in progress."""
        with self._lock:
            return self._observers.setdefault(workspace, BeatObserver())

    def key_state(self, credential: Credential) -> KeyState:
        """Return the state of this credential's key, with its rate window in the store."""
        from connector.client.key_states import key_state, rate_scope
        from connector.runtime.records.rate_windows import SharedWindows

        with self._lock:
            self._windows = self._windows or SharedWindows(lambda: self.database, self.opened)
        state = key_state(credential)
        self._windows.share(state.governor, rate_scope(credential))
        self._rate_timeline.listen(state, credential.fingerprint)
        state.credits.listeners[self.usage] = partial(self.usage.settle, credential.fingerprint)
        return state

    def close(self) -> None:
        """Store the counted usage, and close the database if it was opened."""
        self.heartbeat.close()
        self.usage.flush()
        if self._windows is not None:
            self._windows.close()
        self._rate_timeline.close()
        with self._lock:
            database, self._opened = self._opened, None
            if database is not None:
                database.close()
                self.reads.closed()
