"""Runs a poll: loads the cursors under their leases, and records the outcome for each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.durable.poller import late_rows, schedule
from connector.durable.poller.context import PollContext
from connector.durable.poller.polled_cursor import LeaseLost, PolledCursor
from connector.runtime.requests import checks
from connector.store.database.leases import Lease
from connector.store.triggers import cursors
from connector.store.triggers.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection


def lease_name(cursor_name: str) -> str:
    """Return the name of the lease that allows one poll of a cursor at a time."""
    return f"poll:{cursor_name}"


async def load_cursors(
    context: PollContext, names: Iterable[str], held: dict[str, Lease], *, by_hand: bool = False
) -> list[PolledCursor]:
    """Load the cursors whose leases are held; `by_hand`, one that cannot be polled any more raises."""
    wanted = [name for name in names if lease_name(name) in held]
    rows = await context.read(lambda connection: cursors.get_all(connection, wanted))
    began, group = context.clock.utcnow(), []
    for stored in rows:
        try:
            trigger = context.connector.trigger(stored.trigger)
            inputs = context.connector.inputs(trigger).clean(stored.inputs)
            checks.check(trigger, inputs)
        except KontorError as error:  # its manifest has changed or was removed
            if by_hand:
                raise
            await context.write(postpone_change([stored], error, began))
            continue
        lease = held[lease_name(stored.name)]
        group.append(PolledCursor(stored, trigger, inputs, lease, began, stored.cursor))
    return group


async def run_poll(
    context: PollContext,
    group: Sequence[PolledCursor],
    poll: Callable[[], Awaitable[None]],
    sign: Callable[[PolledCursor], dict[str, Any]],
) -> None:
    """Run a poll, and record for each cursor its outcome and when it is due again."""
    error: Exception | None = None
    try:
        await poll()
    except Exception as problem:  # must not stop other polls; it is stored with the cursor
        error = problem
    for cursor in group:
        await record_outcome(context, cursor, error, sign(cursor))


async def record_outcome(
    context: PollContext, cursor: PolledCursor, error: Exception | None, sign: dict[str, Any]
) -> None:
    """Record the outcome of a cursor's poll, and when it is due again."""
    now = context.clock.utcnow()
    if error is None:
        resume_at = now + timedelta(seconds=schedule.jittered(context.settings.resume_seconds))
        next_at = resume_at if cursor.unfinished else schedule.next_poll(cursor.trigger, now)
        sign = {**sign, **cursor.paid_sign(), **({"unfinished": True} if cursor.unfinished else {})}
        missing = late_rows.error_of(cursor)
        trouble = schedule.error_record(missing, cursor.stored.trouble, now) if missing else None
        await cursor.finish(context, next_at, polled_at=cursor.began, sign=sign, trouble=trouble)
    elif not isinstance(error, LeaseLost):
        trouble = schedule.error_record(error, cursor.stored.trouble, now)
        # What was read before the error is committed, and so is counted.
        counted = cursor.row_count.as_sign(finished=False) if cursor.row_count and "rows" in cursor.stored.sign else {}
        more = {"sign": {**cursor.stored.sign, **counted}} if counted else {}
        await cursor.finish(context, schedule.retry_time(error, trouble["failures"], now), trouble=trouble, **more)


def postpone_change(due: Sequence[StoredCursor], error: Exception, now: datetime) -> Callable[[Connection], None]:
    """Return the change that postpones cursors which cannot be polled, and stores the error."""

    def postpone(connection: Connection) -> None:
        for stored in due:
            trouble = schedule.error_record(error, stored.trouble, now)
            retry_at = schedule.retry_time(error, trouble["failures"], now)
            cursors.postpone(connection, stored, retry_at, now, trouble)

    return postpone
