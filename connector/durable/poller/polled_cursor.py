"""A cursor during a poll: passes pages to its trigger, counts rows, and commits the items found.

Compares the rows that a cursor has read with the number in the free accounts list: while fewer, more follow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from connector.client import Call, Reply
from connector.core.data.price import PaidPolls
from connector.core.manifest.model import Trigger
from connector.core.polls.by_id import ById
from connector.core.polls.cursor import Cursor
from connector.core.polls.page import Members, Row
from connector.durable.poller.context import PollContext, send_metered
from connector.durable.poller.pages import Chunk, Encode, RawPage
from connector.runtime.poll import START, process_page, strategy_inputs
from connector.runtime.requests.request import build_call
from connector.runtime.result import Credits
from connector.store.database.leases import Lease
from connector.store.triggers import cursors, items
from connector.store.triggers.cursors import PAID, StoredCursor
from connector.store.triggers.items import FoundItem


@dataclass(slots=True, eq=False)
class RowCount:
    """The rows read and expected by one cursor during one poll."""

    expected: int | None
    """The number of rows in the accounts list; if unknown, only an empty page is the end."""
    read: int
    """The number of rows read, by this poll and earlier ones."""
    last_id: int
    """The highest id read."""
    counted_before: bool = False
    """Whether an earlier poll has read to the end and counted."""

    @classmethod
    def before_poll(cls, stored: StoredCursor, expected: int | None) -> RowCount:
        """Return the counts before a poll. A cursor that was polled without counting counts as having read all rows."""
        read = 0 if stored.polled_at is None else expected or 0
        ended = "rows" in stored.sign and not stored.sign.get("unfinished")
        return cls(expected, int(stored.sign.get("rows", read)), int(stored.sign.get("last", -1)), ended)

    def add_page(self, page: RawPage, account_id: str | None) -> None:
        """Count the new rows of a page, of one account if given."""
        self.read += page.count_after(account_id, self.last_id)
        self.last_id = max(self.last_id, page.last_id or 0)

    @property
    def expects_more(self) -> bool:
        """Whether more rows exist than were read."""
        return self.expected is None or self.read < self.expected

    @property
    def falls_short(self) -> bool:
        """Whether more rows are known to exist than were read."""
        return self.expected is not None and self.counted_before and self.read < self.expected

    @property
    def missing(self) -> int:
        """How many rows exist, at the end of the list, and were not read: they show late, under lower ids."""
        return 0 if self.expected is None or not self.counted_before else max(self.expected - self.read, 0)

    def as_sign(self, *, finished: bool) -> dict[str, Any]:
        """Return the counts to store for the next poll.

        At the end of the list all expected rows count as read; those that were not are remembered as late.
        """
        if self.expected is None:
            return {}
        return {"rows": self.expected if finished else self.read, "last": str(self.last_id)}


NO_COST = Credits(Decimal(0), None)
MAX_PENDING_COMMITS = 2
"""Commits that a poll does not wait for while it goes on; those that wait share one sync of the disk."""


class LeaseLost(Exception):
    """Another host has acquired the lease of this cursor, so nothing was committed."""


@dataclass(slots=True, eq=False)
class PolledCursor:
    """A cursor during a poll, under its lease."""

    stored: StoredCursor
    trigger: Trigger
    inputs: dict[str, Any]
    lease: Lease
    began: datetime
    position: str | None
    more: bool = False
    unfinished: bool = False
    """Whether a limit stopped the poll before the end of the list."""
    row_count: RowCount | None = None
    """The number of rows read and expected, where known."""
    reads_again: bool = False
    """Whether this poll reads rows again that were waited for."""
    waits_at_most: int | None = None
    """How many rows can be waited for while none of them is posted, by the accounts list; None where unknown."""
    again_behind: int | None = None
    """Where an earlier part of the poll has stopped to read again; after the poll, where this one did."""
    missing: list[dict[str, Any]] = field(default_factory=list)
    """Rows that the account counts and that were not read."""
    more_missing: bool = False
    """Whether this poll has found that more rows are missing than before."""
    late_check: dict[str, Any] = field(default_factory=dict)
    """What is to be remembered of a look for late rows."""
    newest_came: str | None = None
    """When the newest of the rows that were read came in, as the service writes it."""
    watched: tuple[dict[str, str], ...] = ()
    """Those that were watched because no input named one, and how each is known."""
    cost: Decimal = Decimal(0)
    balance: Decimal | None = None
    fired: int = 0
    """How many items this poll has given."""
    _commits: list[Future[bool]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The cursor's name, including the fingerprint."""
        return self.stored.name

    @property
    def flow(self) -> str:
        """The name without the fingerprint, under which the budget is counted."""
        return self.name.partition(":")[2]

    @property
    def skips_history(self) -> bool:
        """Whether this is the first poll of a flow that starts now, which fires nothing for existing rows."""
        return self.stored.start == START and self.stored.polled_at is None

    def call(self, context: PollContext) -> Call:
        """Build the request for the rows after the cursor's position."""
        more = strategy_inputs(self.trigger, self.inputs, self.position, self.began, self.stored.start)
        return build_call(self.trigger, {**self.inputs, **more}, context.session.credential.wire)

    async def send(self, context: PollContext, call: Call) -> Reply:
        """Send a call at this cursor's expense, and add up the cost."""
        reply = await send_metered(context, call, self.flow)
        self.cost += reply.charge.cost
        self.balance = reply.charge.balance
        return reply

    @property
    def place(self) -> Cursor:
        """How far a list ordered by id was read."""
        return Cursor.starting(self.stored.start) if self.position is None else Cursor.read(self.position)

    @property
    def waits_in_vain(self) -> bool:
        """Whether more rows are waited for than are pending, so that one of them is pending no more."""
        return self.waits_at_most is not None and len(self.place.waiting) > self.waits_at_most

    @property
    def members(self) -> Members | None:
        """What its trigger reads of a row, where that is not all of it."""
        return None if self.trigger.poll is None else self.trigger.poll.members

    async def process(self, context: PollContext, chunk: Chunk) -> None:
        """Pass rows to the trigger, and queue the items and the new position for commit."""
        result = process_page(
            self.trigger, chunk.page, self.inputs, self.position, self.stored.start, self.began, NO_COST
        )
        self.more = result.more
        self._note_newest(chunk.page.rows)
        await self._commit(context, result.items, result.cursor, chunk.encode)

    @property
    def came(self) -> str | None:
        """The field that says when a row came in, where its trigger reads one."""
        return self.trigger.poll.arrival if isinstance(self.trigger.poll, ById) else None

    def _note_newest(self, rows: Sequence[Row]) -> None:
        """Times of one list are written alike, so that they compare as text."""
        if self.came is not None:
            times = (time for row in rows if isinstance(time := row.get(self.came), str))
            self.newest_came = max(times, default=self.newest_came)

    async def process_late(self, context: PollContext, chunk: Chunk, behind: int) -> int:
        """Pass rows that were passed before, to find those that were not there then; return how many.

        The store knows which of them were told. A late row that is neither told nor waited for counts as not found.
        """
        from_there = str(Cursor(after=behind))
        result = process_page(self.trigger, chunk.page, self.inputs, from_there, self.stored.start, self.began, NO_COST)
        known, reached = self.place, Cursor.read(result.cursor)
        both = Cursor(max(known.after, reached.after), {**reached.waiting, **known.waiting}, skipping=known.skipping)
        waited = {str(id) for id in known.waiting}
        ids = [id for item in result.items if (id := str(item["_id"])) not in waited]
        already_stored = await context.read(lambda connection: items.count_known(connection, self.name, ids))
        await self._commit(context, result.items, str(both), chunk.encode)
        return len(ids) - already_stored + len(reached.waiting.keys() - known.waiting.keys())

    async def _commit(self, context: PollContext, new_items: Sequence[Row], new: str, encode: Encode) -> None:
        if new == self.position and not new_items:
            return
        encoded: list[FoundItem] = list(zip([str(item["_id"]) for item in new_items], encode(new_items), strict=True))
        self.fired += len(new_items)
        subjects = [self.trigger.subject(item) for item in new_items]
        old, self.position = self.position, new
        lease, name, clock = self.lease, self.name, context.clock
        await self.wait_for_commits(pending=MAX_PENDING_COMMITS)
        self._commits.append(
            context.database.write(lambda c: items.commit(c, lease, name, old, new, encoded, clock.utcnow(), subjects))
        )

    async def wait_for_commits(self, pending: int = 0) -> None:
        """Wait until at most `pending` commits are outstanding; raise `LeaseLost` when one was refused."""
        while len(self._commits) > pending:
            if not await asyncio.wrap_future(self._commits.pop(0)):
                raise LeaseLost(self.name)

    def paid_sign(self) -> dict[str, Any]:
        """Return what is left of the trigger's paid looks of the day, whoever of a group has paid for this one."""
        most, credits = self.trigger.paid_a_day, self.trigger.cost.credits
        if not most:
            return {}
        is_first = self.stored.cursor is None  # passing over history happens once, however many pages it has
        looks = 1.0 if is_first else max(1.0, float(self.cost) / credits)
        return {PAID: PaidPolls(most, self.stored.sign.get(PAID), self.began.timestamp()).spend(looks)}

    def next_paid_poll(self) -> datetime:
        """Return when the trigger's paid looks of the day allow the next one."""
        looks = PaidPolls(self.trigger.paid_a_day, self.stored.sign.get(PAID), self.began.timestamp())
        return datetime.fromtimestamp(looks.next_at, UTC)

    async def finish(self, context: PollContext, next_at: datetime, **more: Any) -> None:
        """Record the end of the poll, and when the next one is due."""
        stored, fence, began = self.stored, self.lease.fence, self.began
        await context.write(lambda connection: cursors.finish_poll(connection, stored, fence, next_at, began, **more))
