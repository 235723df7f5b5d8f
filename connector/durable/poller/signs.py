"""Free signs that a paid list has something new: the accounts list, an event, or that it was not asked for long.

The accounts list costs nothing and shows balance, counts and the time of the last change of every account. As long as
it looks as it did before the last paid poll, there is nothing to pay for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from connector.core.values.dates import instant
from connector.core.values.ids import SINCE_PREFIX
from connector.durable.poller.bank_rows import ACCOUNT, BANK_CONNECTION
from connector.durable.poller.member import Member
from connector.durable.poller.row_count import RowCount
from connector.durable.settings import Settings
from connector.runtime.row_counts import rows_counted, rows_in
from connector.runtime.session import AsyncSession
from connector.store import credentials, cursors
from connector.store.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection

Reason = Literal["first", "unfinished", "nudged", "moved", "stale"]
FRESH_NUDGE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Look:
    """The accounts list at one moment: of each account a mark that changes when it does, and when it last did."""

    marks: Mapping[str, str] = field(default_factory=dict)
    changed_at: Mapping[str, datetime] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)

    def mark(self, account_id: str | None) -> str | None:
        """The mark of one account, or of all together; None when nothing is to be seen."""
        if account_id is not None:
            return self.marks.get(account_id)
        if not self.marks:
            return None
        whole = "\n".join(f"{id} {self.marks[id]}" for id in sorted(self.marks))
        return hashlib.sha256(whole.encode()).hexdigest()[:24]

    def rows(self, account_id: str | None) -> int | None:
        """How many rows one account has, or all together; None when the list does not say."""
        return rows_in(self.counts, account_id)

    def last_change(self, account_id: str | None) -> datetime | None:
        """When one account, or any, last changed."""
        if account_id is not None:
            return self.changed_at.get(account_id)
        return max(self.changed_at.values(), default=None)


async def look(session: AsyncSession, bank_connection: str | None) -> Look:
    """Looks at the accounts of a bank connection, or at all. It is free."""
    inputs = {BANK_CONNECTION: bank_connection} if bank_connection is not None else {}
    found = await session.invoke(session.id_for("account_list"), inputs)
    accounts = {str(item["id"]): item for item in found.output["items"] if isinstance(item, dict) and "id" in item}
    changed = {id: at for id, item in accounts.items() if (at := _instant(item.get("updated_at"))) is not None}
    return Look({id: _mark(item) for id, item in accounts.items()}, changed, rows_counted(accounts.values()))


def reason_to_pay(stored: StoredCursor, mark: str | None, now: datetime, settings: Settings) -> Reason | None:
    """Why the paid list should be asked for now, or None when it should not."""
    if stored.cursor is None or stored.polled_at is None:
        return "first"
    if stored.sign.get("unfinished"):
        return "unfinished"
    if mark is not None and mark != stored.sign.get("seen"):
        return "moved"
    age = (now - stored.polled_at).total_seconds()
    if age >= (settings.blind_stale_seconds if mark is None else settings.stale_seconds):
        return "stale"
    nudged = stored.nudged_at is not None and stored.nudged_at > stored.polled_at
    if nudged and mark is None:
        return "nudged"
    # An event that the accounts list does not confirm may be forged, or only be early: it is believed now and then.
    fresh = nudged and stored.nudged_at is not None and now - stored.nudged_at < FRESH_NUDGE
    return "nudged" if fresh and age >= settings.unseen_nudge_seconds else None


def expect(member: Member, seen: Look) -> None:
    """Before a poll: how many rows there should be, by what was seen."""
    shown = seen.rows(member.stored.inputs.get(ACCOUNT))
    counts_from_the_first_row = member.stored.polled_at is not None or not member.stored.start.startswith(SINCE_PREFIX)
    if counts_from_the_first_row and (shown is not None or member.passes_history):
        member.rows = RowCount.of(member.stored, shown)


def sign_of(member: Member, seen: Look) -> dict[str, Any]:
    """After a poll: what the next look is compared with."""
    counted = member.rows.as_sign(finished=not member.unfinished) if member.rows else {}
    return {"seen": seen.mark(member.stored.inputs.get(ACCOUNT)), **counted}


def nudge(connection: Connection, credential_id: str, connection_id: str, now: datetime | None = None) -> None:
    """A bank connection has new data: its cursors are due now. To be called inside somebody's transaction.

    Cursors that name only an account look at the free list now: it shows whether theirs has changed.
    """
    now = now or datetime.now(UTC)
    fingerprint = credentials.fingerprint_of(connection, credential_id)
    watched = cursors.scheduled(connection, fingerprint)
    named = [one.name for one in watched if str(one.inputs.get(BANK_CONNECTION)) == connection_id]
    only_account = [one.name for one in watched if ACCOUNT in one.inputs and BANK_CONNECTION not in one.inputs]
    cursors.nudge(connection, named, now)
    cursors.make_due(connection, only_account, now)


def _mark(account: Mapping[str, Any]) -> str:
    extra = account.get("extra")
    counts = extra.get("transactions_count") if isinstance(extra, Mapping) else None
    posted, pending = (counts.get("posted"), counts.get("pending")) if isinstance(counts, Mapping) else (None, None)
    seen = f"{posted}/{pending}/{account.get('balance')}/{account.get('updated_at')}"
    return hashlib.sha256(seen.encode()).hexdigest()[:24]


def _instant(value: Any) -> datetime | None:
    try:
        return instant(value)
    except ValueError:
        return None
