"""Fewer paid polls for platforms that keep the cursor themselves and ask a host as often as their schedule says.

The host remembers the last paid poll that led to a cursor, and what the free accounts list showed then. Asked again
with that cursor, it pays only when the trigger's interval is over, or when a free sign shows that something moved. What
is remembered is in memory: after a restart, one poll more is paid.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from cachetools import LRUCache

from connector.core.data.price import PaidPolls
from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.core.values import json
from connector.durable.poller.change_signals import MAX_MISSES, fetch_snapshot, patience
from connector.durable.poller.pages import ACCOUNT, BANK_CONNECTION, reads_bank_rows
from connector.durable.settings import Settings
from connector.runtime.poll import Polled
from connector.runtime.result import Credits
from connector.runtime.session import AsyncSession

MAX_REMEMBERED = 10_000
PLACE = "@"
"""A cursor with this mark reads on from a place, and so passes over rows that are waited for."""


@dataclass(frozen=True, slots=True)
class PaidPoll:
    """A paid poll: when it was made, and what the free accounts list showed before; None where not all was read."""

    at: datetime
    seen: str | None
    touched: str | None
    misses: int
    """How often in a row nothing came of a new time of change alone."""
    paid: Sequence[float]
    """What is left of the paid polls of the day."""


class PollThrottle:
    """What one host remembers of paid polls."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._paid_polls: LRUCache[bytes, PaidPoll] = LRUCache(MAX_REMEMBERED)

    async def poll(
        self,
        session: AsyncSession,
        trigger: Trigger,
        inputs: Mapping[str, Any],
        cursor: str | None,
        start: str,
        now: datetime,
    ) -> Polled:
        """Poll once; where none is due, find nothing and spend nothing."""
        if trigger.source != "poll" or not trigger.cost.credits:
            return await session.poll(trigger.id, inputs, cursor, start)
        asked = None if cursor is None else _key(session, trigger, inputs, cursor)
        paid_poll = None if asked is None else self._paid_polls.get(asked)
        shows_signs = reads_bank_rows(trigger)
        if (
            cursor is not None
            and paid_poll is not None
            and not shows_signs
            and self._is_within(paid_poll, now, trigger)
        ):
            return _nothing(cursor)
        left = PaidPolls(trigger.paid_a_day, paid_poll.paid if paid_poll else None, now.timestamp())
        if cursor is not None and not left.may_poll:
            return _nothing(cursor)
        digest, touched = await _signs(session, inputs) if shows_signs else (None, None)
        if (
            cursor is not None
            and paid_poll is not None
            and shows_signs
            and self._is_quiet(paid_poll, digest, touched, now)
        ):
            return _nothing(cursor)
        polled = await session.poll(trigger.id, inputs, cursor, start)
        if not polled.more:
            seen = None if PLACE in (cursor or "") else digest
            if asked is not None:
                self._paid_polls.pop(asked, None)
            missed = paid_poll is not None and digest == paid_poll.seen and touched != paid_poll.touched
            misses = 0 if polled.items or paid_poll is None else min(paid_poll.misses + missed, MAX_MISSES)
            spent = left.spend(max(1.0, float(polled.credits.cost) / trigger.cost.credits))
            self._paid_polls[_key(session, trigger, inputs, polled.cursor)] = PaidPoll(
                now, seen, touched, misses, spent
            )
        return polled

    def _is_within(self, paid_poll: PaidPoll, now: datetime, trigger: Trigger) -> bool:
        return timedelta(0) <= now - paid_poll.at < timedelta(seconds=trigger.least_interval)

    def _is_quiet(self, paid_poll: PaidPoll, digest: str | None, touched: str | None, now: datetime) -> bool:
        """Whether free signs show no reason to pay."""
        settings = self._settings
        bound = settings.stale_seconds_without_signal if digest is None else settings.stale_seconds
        if digest is not None and touched != paid_poll.touched:
            bound = patience(paid_poll.misses, settings)
        return (digest is None or digest == paid_poll.seen) and timedelta(0) <= now - paid_poll.at < timedelta(
            seconds=bound
        )


def _key(session: AsyncSession, trigger: Trigger, inputs: Mapping[str, Any], cursor: str) -> bytes:
    """Return a digest of what tells one flow from another: a cursor with many rows that wait is long."""
    known = json.encode([session.credential.fingerprint, trigger.id, {name: inputs[name] for name in sorted(inputs)}])
    return hashlib.sha256(known + cursor.encode(errors="surrogatepass")).digest()


def _nothing(cursor: str) -> Polled:
    return Polled((), cursor, Credits(Decimal(0), None))


async def _signs(session: AsyncSession, inputs: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return what the free accounts list shows, and the weak signs."""
    bank_connection, account = (inputs.get(name) for name in (BANK_CONNECTION, ACCOUNT))
    try:
        snapshot = await fetch_snapshot(session, None if bank_connection is None else str(bank_connection))
    except KontorError:
        return None, None  # the error will show when the paid list is polled
    named = None if account is None else str(account)
    return snapshot.digest(named), snapshot.touched(named)
