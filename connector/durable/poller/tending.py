"""Around every poll: cursors are loaded under their leases, and afterwards it is noted how it went."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.durable.poller import pacing
from connector.durable.poller.member import Member, Overtaken
from connector.durable.poller.work import PollWork
from connector.runtime import checks
from connector.store import cursors
from connector.store.cursors import StoredCursor
from connector.store.leases import Lease

if TYPE_CHECKING:
    from sqlalchemy import Connection


def lease_name(cursor_name: str) -> str:
    """One poll of a cursor at a time."""
    return f"poll:{cursor_name}"


async def load(
    work: PollWork, names: Iterable[str], held: dict[str, Lease], *, keep_items: bool = False
) -> list[Member]:
    """The cursors whose leases could be had, as they stand now that nobody else moves them."""
    wanted = [name for name in names if lease_name(name) in held]
    rows = await work.read(lambda connection: [cursors.get(connection, name) for name in wanted])
    began, members = work.clock.utcnow(), []
    for stored in rows:
        if stored is None:
            continue
        try:
            trigger = work.connector.trigger(stored.trigger)
            inputs = work.connector.inputs(trigger).clean(stored.inputs)
            checks.check(trigger, inputs)
        except KontorError as error:  # its manifest has changed since, or is gone
            if keep_items:
                raise
            await work.write(postponing([stored], error, began))
            continue
        lease = held[lease_name(stored.name)]
        members.append(Member(stored, trigger, inputs, lease, began, stored.cursor, keep_items))
    return members


async def tended(
    work: PollWork,
    members: Sequence[Member],
    poll: Callable[[], Awaitable[None]],
    sign: Callable[[Member], dict[str, Any]],
) -> None:
    """Runs a poll and notes for each member how it went and when it is due again."""
    error: Exception | None = None
    try:
        await poll()
    except Exception as problem:  # whatever it was must not stop other polls; it is shown with the cursor
        error = problem
    for member in members:
        await note(work, member, error, sign(member))


async def note(work: PollWork, member: Member, error: Exception | None, sign: dict[str, Any]) -> None:
    """Notes how a member's poll went."""
    now = work.clock.utcnow()
    if error is None:
        rest = timedelta(seconds=pacing.spread(work.settings.rest_seconds))
        next_at = now + rest if member.unfinished else pacing.next_poll(member.trigger, now)
        sign = {**sign, "unfinished": True} if member.unfinished else sign
        await member.rest(work, next_at, polled_at=member.began, sign=sign, trouble=None)
    elif not isinstance(error, Overtaken):
        trouble = pacing.trouble_of(error, member.stored.trouble, now)
        await member.rest(work, pacing.after_trouble(error, trouble["failures"], now), trouble=trouble)


def postponing(due: Sequence[StoredCursor], error: Exception, now: datetime) -> Callable[[Connection], None]:
    """The change by which cursors that cannot be polled wait, and say why."""

    def postpone(connection: Connection) -> None:
        for stored in due:
            trouble = pacing.trouble_of(error, stored.trouble, now)
            cursors.postpone(
                connection, stored.name, pacing.after_trouble(error, trouble["failures"], now), now, trouble
            )

    return postpone
