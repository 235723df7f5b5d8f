"""Records refusals in the audit log: wrong tokens, failed sign-ins, and missing rights, whichever face they came by.

A flood of them must not fill the disk: each kind is recorded some times at once and then every ten seconds, for each
workspace; the next entry says how many were left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from connector.core.callers import CallSource
from connector.core.errors import KontorError, RightMissing
from connector.core.timing import RateLimit, TokenBuckets

if TYPE_CHECKING:
    from connector.store import Database

RATE = RateLimit(per_second=0.1, burst=50)
MAX_COUNTED = 10_000


def is_refusal(error: KontorError) -> bool:
    """Whether Kontor itself refused for want of a right, and nobody has recorded that yet; not when the service did."""
    return isinstance(error, RightMissing) and error.outcome == "not_sent" and not error.audited


class RefusalAudit:
    """The refusals of one connector or host. Nobody waits for their entries."""

    def __init__(
        self,
        database: Callable[[], Database],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database, self._now, self._monotonic = database, now, monotonic
        self._buckets = TokenBuckets(RATE)
        self._left_out: LRUCache[str, int] = LRUCache(MAX_COUNTED)

    def refused(
        self, source: CallSource, error: KontorError, *, action: str | None = None, workspace: str | None = None
    ) -> None:
        """Record that somebody lacked a right, once for each error; other errors are not recorded."""
        if not is_refusal(error):
            return
        error.audited = True
        told = {"route": source.where, "action": action, "why": error.message.en}
        self.record(source, "right.refused", {name: text for name, text in told.items() if text}, workspace)

    def record(
        self,
        source: CallSource,
        what: str,
        details: Mapping[str, Any] | None = None,
        workspace: str | None = None,
    ) -> None:
        """Record a refusal in the workspace of the caller, else in the given one, else in that of the whole host."""
        home = (source.actor.workspace if source.actor else None) or workspace or ""
        kind = f"{what} {home}"
        if not self._buckets.take(kind, self._monotonic()):
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return
        left_out = self._left_out.pop(kind, 0)
        told = {**(details or {}), **({"left_out_before": left_out} if left_out else {})}
        now = self._now()
        from connector.store.trust import audit

        with suppress(Exception):  # what the caller is told does not depend on it
            self._database().write_later(
                lambda connection: audit.record_by(connection, source, workspace=home, what=what, details=told, now=now)
            )
