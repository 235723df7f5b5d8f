"""Free change signals that justify a paid poll: the accounts list, an event, or the age of the last poll.

The free accounts list shows balance, row counts and the time of the last change of every account. While it is the same
as at the last paid poll, no paid poll is needed. Where rows are counted, a new time of change alone is a weak sign: the
service may move it at each read. It is followed now and then, and less often each time nothing was found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from connector.core.data.price import PaidPolls
from connector.core.values.dates import instant
from connector.core.values.ids import SINCE_PREFIX
from connector.durable.poller import late_rows
from connector.durable.poller.pages import ACCOUNT, BANK_CONNECTION
from connector.durable.poller.polled_cursor import PolledCursor, RowCount
from connector.durable.settings import Settings
from connector.runtime.poll import pending_counted, rows_counted, rows_in
from connector.runtime.session import AsyncSession
from connector.store.triggers import cursors, due_work
from connector.store.triggers.cursors import PAID, StoredCursor
from connector.store.trust import credentials

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.model import Trigger

PollReason = Literal["first", "unfinished", "nudged", "moved", "touched", "late", "stale"]
FRESH_NUDGE = timedelta(minutes=15)
MAX_MISSES = 10


@dataclass(frozen=True, slots=True)
class AccountsSnapshot:
    """The accounts list at one moment: by account a digest, the time of its last change, and its number of rows."""

    digests: Mapping[str, str] = field(default_factory=dict)
    changed_at: Mapping[str, datetime] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    pending_counts: Mapping[str, int] = field(default_factory=dict)
    touches: Mapping[str, str] = field(default_factory=dict)

    def digest(self, account_id: str | None) -> str | None:
        """Return the digest of one account or of all; None when unknown."""
        return _of_account(self.digests, account_id)

    def touched(self, account_id: str | None) -> str | None:
        """Return the weak signs of one account or of all; None when unknown."""
        return _of_account(self.touches, account_id)

    def rows(self, account_id: str | None) -> int | None:
        """Return the number of rows of one account or of all; None when unknown."""
        return rows_in(self.counts, account_id)

    def pending(self, account_id: str | None) -> int | None:
        """Return the number of pending rows of one account or of all; None when unknown."""
        return rows_in(self.pending_counts, account_id)

    def last_change(self, account_id: str | None) -> datetime | None:
        """Return when one account, or any account, last changed."""
        if account_id is not None:
            return self.changed_at.get(account_id)
        return max(self.changed_at.values(), default=None)


async def fetch_snapshot(session: AsyncSession, bank_connection: str | None) -> AccountsSnapshot:
    """Fetch the accounts of a bank connection, or all accounts; this is free."""
    inputs = {BANK_CONNECTION: bank_connection} if bank_connection is not None else {}
    listed = await session.invoke(session.id_for("account_list"), inputs)
    accounts = {str(item["id"]): item for item in listed.output["items"] if isinstance(item, dict) and "id" in item}
    changed = {id: at for id, item in accounts.items() if (at := _instant(item.get("updated_at"))) is not None}
    return AccountsSnapshot(
        {id: _account_digest(item) for id, item in accounts.items()},
        changed,
        rows_counted(accounts.values()),
        pending_counted(accounts.values()),
        {id: _short_digest(str(item.get("updated_at"))) for id, item in accounts.items()},
    )


def may_pay(stored: StoredCursor, trigger: Trigger, now: datetime) -> bool:
    """Whether the trigger's ceiling of paid looks a day allows one more; what was begun goes on."""
    began = stored.cursor is None or stored.polled_at is None or bool(stored.sign.get("unfinished"))
    return (
        began
        or not trigger.paid_a_day
        or PaidPolls(trigger.paid_a_day, stored.sign.get(PAID), now.timestamp()).may_poll
    )


def reason_to_pay(
    stored: StoredCursor, trigger: Trigger, snapshot: AccountsSnapshot, now: datetime, settings: Settings
) -> PollReason | None:
    """Return why the paid list should be polled now; None when it should not."""
    account = stored.inputs.get(ACCOUNT)
    digest, touched = snapshot.digest(account), snapshot.touched(account)
    if stored.cursor is None or stored.polled_at is None:
        return "first"
    if stored.sign.get("unfinished"):
        return "unfinished"
    if not may_pay(stored, trigger, now):
        return None
    if digest is not None and digest != stored.sign.get("seen"):
        return "moved"
    if late_rows.is_due(stored):
        return "late"
    age = (now - stored.polled_at).total_seconds()
    if age >= (settings.stale_seconds_without_signal if digest is None else settings.stale_seconds):
        return "stale"
    is_touched = digest is not None and touched != stored.sign.get("touched")
    if is_touched and age >= patience(stored.sign.get("misses", 0), settings):
        return "touched"
    nudged = stored.nudges > stored.nudges_polled
    if nudged and digest is None:
        return "nudged"
    # An event that the accounts list does not confirm may be forged, or just early: it is followed only now and then.
    fresh = nudged and stored.nudged_at is not None and now - stored.nudged_at < FRESH_NUDGE
    return "nudged" if fresh and age >= settings.unconfirmed_nudge_seconds else None


def patience(misses: int, settings: Settings) -> float:
    """Return after how many seconds a new time of change alone is followed, if nothing came of it so often in a row."""
    return min(settings.unconfirmed_nudge_seconds * 2.0**misses, settings.stale_seconds)


def prepare_poll(cursor: PolledCursor, snapshot: AccountsSnapshot, settings: Settings) -> None:
    """Before a poll, set what the cursor should find according to the snapshot, and whether it reads rows again."""
    _set_expected_rows(cursor, snapshot)
    pending = snapshot.pending(cursor.stored.inputs.get(ACCOUNT))
    cursor.waits_at_most = None if pending is None else pending - int(cursor.stored.sign.get("others", 0))
    stopped_at = cursor.stored.sign.get("again")
    cursor.again_behind = None if stopped_at is None else int(stopped_at)
    cursor.reads_again = stopped_at is not None or _reads_again(cursor, snapshot, settings)


def _reads_again(cursor: PolledCursor, snapshot: AccountsSnapshot, settings: Settings) -> bool:
    """Whether rows that are waited for are read again: when one of them is pending no more, and now and then."""
    poll, read_at = cursor.trigger.poll, cursor.stored.sign.get("again_at")
    if poll is None or poll.reads_again:
        return True
    if read_at is None:
        return True
    if not timedelta(0) <= cursor.began - datetime.fromisoformat(read_at) < timedelta(seconds=settings.stale_seconds):
        return True
    if cursor.waits_at_most is None:  # an account that has changed may have changed in this too
        return bool(snapshot.digests)
    return cursor.waits_in_vain


def _set_expected_rows(cursor: PolledCursor, snapshot: AccountsSnapshot) -> None:
    expected = snapshot.rows(cursor.stored.inputs.get(ACCOUNT))
    counts_from_first_row = cursor.stored.polled_at is not None or not cursor.stored.start.startswith(SINCE_PREFIX)
    if counts_from_first_row and (expected is not None or cursor.skips_history):
        cursor.row_count = RowCount.before_poll(cursor.stored, expected)


def sign_after_poll(cursor: PolledCursor, snapshot: AccountsSnapshot) -> dict[str, Any]:
    """After a poll, return the change signals to store and compare with the next snapshot.

    While rows are still being read again, those that were read first may have changed since: what was seen is what the
    accounts list showed before the first part of the poll.
    """
    counted = cursor.row_count.as_sign(finished=not cursor.unfinished) if cursor.row_count else {}
    before, digest = cursor.stored.sign, snapshot.digest(cursor.stored.inputs.get(ACCOUNT))
    began_with = before.get("began_with", digest) if "again" in before else digest
    sign = {**counted, **late_rows.as_sign(cursor, cursor.began), **_read_again_sign(cursor, snapshot)}
    sign |= _touched_sign(cursor, snapshot, digest)
    if cursor.again_behind is None:
        return {"seen": began_with, **sign}
    return {"seen": before.get("seen"), "again": str(cursor.again_behind), "began_with": began_with, **sign}


def _touched_sign(cursor: PolledCursor, snapshot: AccountsSnapshot, digest: str | None) -> dict[str, Any]:
    """Return the weak signs as they were, and how often in a row nothing came of them."""
    before, touched = cursor.stored.sign, snapshot.touched(cursor.stored.inputs.get(ACCOUNT))
    misses = int(before.get("misses", 0))
    if cursor.fired:
        misses = 0
    elif digest == before.get("seen") and touched != before.get("touched"):
        misses = min(misses + 1, MAX_MISSES)
    return {"touched": touched, **({"misses": misses} if misses else {})}


def _read_again_sign(cursor: PolledCursor, snapshot: AccountsSnapshot) -> dict[str, Any]:
    """Return when the rows that are waited for were last read again, and how many others are pending."""
    if cursor.position is None or cursor.trigger.poll is None or cursor.trigger.poll.reads_again:
        return {}
    unread: dict[str, Any] = {
        name: cursor.stored.sign[name] for name in ("again_at", "others") if name in cursor.stored.sign
    }
    if not cursor.reads_again or cursor.again_behind is not None:
        return unread
    pending = snapshot.pending(cursor.stored.inputs.get(ACCOUNT))
    others = {} if pending is None else {"others": max(pending - len(cursor.place.waiting), 0)}
    return {"again_at": cursor.began.isoformat(), **others}


def nudge(connection: Connection, credential_id: str, connection_id: str, now: datetime | None = None) -> None:
    """Make the cursors of a bank connection with new data due now, in the caller's transaction.

    Cursors that name only an account check the free accounts list now, which shows whether theirs has changed.
    """
    now = now or datetime.now(UTC)
    fingerprint = credentials.fingerprint_of(connection, credential_id)
    scheduled = cursors.scheduled(connection, fingerprint)
    by_connection = [cursor.name for cursor in scheduled if str(cursor.inputs.get(BANK_CONNECTION)) == connection_id]
    only_account = [
        cursor.name for cursor in scheduled if ACCOUNT in cursor.inputs and BANK_CONNECTION not in cursor.inputs
    ]
    cursors.nudge(connection, by_connection, now)
    cursors.make_due(connection, only_account, now)
    due_work.schedule(connection, due_work.POLLS, credential_id, now)


def _account_digest(account: Mapping[str, Any]) -> str:
    extra = account.get("extra")
    counts = extra.get("transactions_count") if isinstance(extra, Mapping) else None
    posted, pending = (counts.get("posted"), counts.get("pending")) if isinstance(counts, Mapping) else (None, None)
    # What is counted shows each new row; otherwise the time of the last change must do.
    changed = "" if isinstance(posted, int) and isinstance(pending, int) else account.get("updated_at")
    return _short_digest(f"{posted}/{pending}/{account.get('balance')}/{changed}")


def _of_account(digests: Mapping[str, str], account_id: str | None) -> str | None:
    if account_id is not None:
        return digests.get(account_id)
    if not digests:
        return None
    return _short_digest("\n".join(f"{id} {digests[id]}" for id in sorted(digests)))


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _instant(value: Any) -> datetime | None:
    try:
        return instant(value)
    except ValueError:
        return None
