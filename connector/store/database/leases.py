"""Leases and timers, by which several hosts on one database divide the work.

Leases: locks with a heartbeat, by which several hosts on one database divide the work.

The holder raises the lease's counter every few seconds. Whoever has seen the counter stand still for 20 s on its own
monotonic clock takes the lease over, by compare-and-set, so the work of a dead host continues; the wall clock plays no
part. Each new holder gets a higher fencing token: a host that was only slow finds on writing that its fence is no
longer the highest.

Timers: when a recurring job of all hosts together is next due, and the time of the host that keeps the clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, bindparam, or_, select, update

from connector.core.timing import BeatObserver
from connector.store.database.statements import as_utc, insert_if_absent
from connector.store.schema import leases, timers

CLOCK = "clock"
"""The lease that one of the hosts holds while any runs."""
FREE = ""
"""The owner of a lease that was released."""
_NAMED = leases.c.name == bindparam("of_name")
_HELD = and_(_NAMED, leases.c.owner == bindparam("of_owner"), leases.c.fence == bindparam("of_fence"))
_READ = select(leases.c.owner, leases.c.fence, leases.c.beat).where(_NAMED)
_TAKE = (
    update(leases)
    .where(_HELD, leases.c.beat == bindparam("of_beat"))
    .values(owner=bindparam("to_owner"), fence=leases.c.fence + 1, beat=0)
)
_RENEW = update(leases).where(_HELD).values(beat=leases.c.beat + 1)
_RELEASE = update(leases).where(_HELD).values(owner=FREE)


@dataclass(frozen=True, slots=True)
class Lease:
    """An exclusive right to the work called `name`, as long as its counter moves."""

    name: str
    owner: str
    fence: int


def acquire(connection: Connection, name: str, owner: str, observer: BeatObserver, now: float) -> Lease | None:
    """Acquire the lease; None while it is held, by another owner or by another task of the same one.

    `observer` keeps what this process has seen of the lease so far; `now` is the monotonic time.
    """
    held = connection.execute(_READ, {"of_name": name}).first()
    if held is None:
        fresh = {"name": name, "owner": owner, "fence": 1, "beat": 0}
        return Lease(name, owner, 1) if insert_if_absent(connection, leases, fresh) else None
    holder, fence, beat = held
    if holder != FREE and not observer.is_dead(name, (fence, beat), now):
        return None
    unmoved = {"of_name": name, "of_owner": holder, "of_fence": fence, "of_beat": beat}
    if connection.execute(_TAKE, {**unmoved, "to_owner": owner}).rowcount == 0:
        return None  # released, renewed or taken by another host at this moment
    observer.forget(name)
    return Lease(name, owner, fence + 1)


def is_held(connection: Connection, name: str) -> bool:
    """Whether somebody holds the lease, or died holding it."""
    owner = connection.execute(select(leases.c.owner).where(leases.c.name == name)).scalar_one_or_none()
    return owner not in {None, FREE}


def renew(connection: Connection, lease: Lease) -> bool:
    """Raise the lease's counter; False when another owner has acquired it."""
    return connection.execute(_RENEW, _as_held(lease)).rowcount == 1


def release(connection: Connection, lease: Lease) -> None:
    """Release the lease. Its row stays, so that fences keep growing."""
    connection.execute(_RELEASE, _as_held(lease))


def holds(connection: Connection, lease: Lease) -> bool:
    """Whether the lease is still held by the caller."""
    return connection.execute(select(leases.c.fence).where(_HELD), _as_held(lease)).first() is not None


def counter(connection: Connection, name: str) -> tuple[int, int] | None:
    """Return fence and counter of a lease that is held; a change of either shows that somebody is at work."""
    held = select(leases.c.fence, leases.c.beat).where(leases.c.name == name, leases.c.owner != FREE)
    row = connection.execute(held).one_or_none()
    return None if row is None else (row.fence, row.beat)


def _as_held(lease: Lease) -> dict[str, str | int]:
    return {"of_name": lease.name, "of_owner": lease.owner, "of_fence": lease.fence}


def claim_timer(connection: Connection, name: str, every: timedelta, now: datetime) -> bool:
    """Whether the job is due; if so, it is next due after `every`, for all hosts.

    A time further ahead than `every` was set by a clock that ran ahead, and counts as due.
    """
    next_at = now + every
    if insert_if_absent(connection, timers, {"name": name, "at": next_at}):
        return True
    due = and_(timers.c.name == name, or_(timers.c.at <= now, timers.c.at > next_at))
    return connection.execute(update(timers).where(due).values(at=next_at)).rowcount == 1


def set_timer(connection: Connection, name: str, at: datetime) -> None:
    """Set a timer, created if absent."""
    if not insert_if_absent(connection, timers, {"name": name, "at": at}):
        connection.execute(update(timers).where(timers.c.name == name).values(at=at))


def timer_of(connection: Connection, name: str) -> datetime | None:
    """Return the time of a timer."""
    return as_utc(connection.execute(select(timers.c.at).where(timers.c.name == name)).scalar_one_or_none())
