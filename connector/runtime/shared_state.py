"""What all sessions of one connector share: the manifests, the database, cached dropdowns and the tally of credits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from connector.core.credential import Credential
from connector.runtime.catalog import Catalog
from connector.runtime.lookups import LookupCache
from connector.runtime.tally import Tally

if TYPE_CHECKING:
    from connector.store import Database


class SharedState(Catalog):
    """Opened once; serves any number of credentials."""

    def __init__(self, data: str | None = None) -> None:
        """`data`: a folder or the URL of a PostgreSQL database; by default what `KONTOR_DATA` says."""
        super().__init__()
        self._data = data
        self._caches: dict[str, LookupCache] = {}
        self._lock = threading.Lock()
        self.tally = Tally(lambda: self.database)

    @property
    def database(self) -> Database:
        """The store, opened when first asked for."""
        with self._lock:
            if not hasattr(self, "_database"):
                from connector.store import open_database

                self._database = open_database(self._data)
            return self._database

    def lookup_cache(self, credential: Credential) -> LookupCache:
        """The cached dropdowns of a credential, shared by all its sessions. A label of its own is a view of its own."""
        with self._lock:
            return self._caches.setdefault(f"{credential.fingerprint} {credential.quelle}", LookupCache())

    def close(self) -> None:
        """Writes down what was spent, and closes the store, if it was opened."""
        self.tally.write_down()
        with self._lock:
            if hasattr(self, "_database"):
                self._database.close()
                del self._database
