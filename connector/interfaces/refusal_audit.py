"""Records refusals in the audit log: wrong tokens, failed sign-ins, and missing rights.

A flood of them must not fill the disk: each kind is recorded some times at once and then every ten seconds, for each
workspace; the next entry says how many were left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from connector.core.call_source import CallSource
from connector.durable.inbox.token_bucket import RateLimit, TokenBuckets
from connector.store import audit

if TYPE_CHECKING:
    from connector.store import Database

RATE = RateLimit(per_second=0.1, burst=50)
MAX_COUNTED = 10_000


class RefusalAudit:
    """The refusals of one host. Nobody waits for their entries."""

    def __init__(
        self, database: Database, now: Callable[[], datetime], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._database, self._now, self._monotonic = database, now, monotonic
        self._buckets = TokenBuckets(RATE)
        self._left_out: LRUCache[str, int] = LRUCache(MAX_COUNTED)

    def record(self, source: CallSource, what: str, details: Mapping[str, Any] | None = None) -> None:
        """Record a refusal in the workspace of the caller, or of the whole host."""
        workspace = (source.actor.workspace if source.actor else None) or audit.HOST
        kind = f"{what} {workspace}"
        if not self._buckets.take(kind, self._monotonic()):
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return
        left_out = self._left_out.pop(kind, 0)
        told = {**(details or {}), **({"left_out_before": left_out} if left_out else {})}
        now = self._now()
        self._database.write_deferred(
            lambda connection: audit.record_by(
                connection, source, workspace=workspace, what=what, details=told, now=now
            )
        )
