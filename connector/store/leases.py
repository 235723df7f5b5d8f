"""Leases: locks with a heartbeat, by which several hosts on one database divide the work.

The holder raises the lease's counter every few seconds. Whoever has seen the counter stand still for 20 s on its own
monotonic clock takes the lease over, by compare-and-set, so the work of a dead host continues; the wall clock plays no
part. Each new holder gets a higher fencing token: a host that was only slow finds on writing that its fence is no
longer the highest.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, select, update

from connector.core.heartbeat import BeatObserver
from connector.store.insert_once import insert_if_absent
from connector.store.schema import leases

CLOCK = "clock"
"""The lease that one of the hosts holds while any runs."""
FREE = ""
"""The owner of a lease that was released."""


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
    held = connection.execute(
        select(leases.c.owner, leases.c.fence, leases.c.beat).where(leases.c.name == name)
    ).one_or_none()
    if held is None:
        fresh = {"name": name, "owner": owner, "fence": 1, "beat": 0}
        return Lease(name, owner, 1) if insert_if_absent(connection, leases, fresh) else None
    if held.owner != FREE and not observer.is_dead(name, (held.fence, held.beat), now):
        return None
    unmoved = and_(leases.c.name == name, leases.c.fence == held.fence, leases.c.beat == held.beat)
    taken = update(leases).where(unmoved, leases.c.owner == held.owner)
    if connection.execute(taken.values(owner=owner, fence=held.fence + 1, beat=0)).rowcount == 0:
        return None  # released, renewed or taken by another host at this moment
    observer.forget(name)
    return Lease(name, owner, held.fence + 1)


def is_held(connection: Connection, name: str) -> bool:
    """Whether somebody holds the lease, or died holding it."""
    owner = connection.execute(select(leases.c.owner).where(leases.c.name == name)).scalar_one_or_none()
    return owner not in {None, FREE}


def renew(connection: Connection, lease: Lease) -> bool:
    """Raise the lease's counter; False when another owner has acquired it."""
    return connection.execute(update(leases).where(_is(lease)).values(beat=leases.c.beat + 1)).rowcount == 1


def release(connection: Connection, lease: Lease) -> None:
    """Release the lease. Its row stays, so that fences keep growing."""
    connection.execute(update(leases).where(_is(lease)).values(owner=FREE))


def holds(connection: Connection, lease: Lease) -> bool:
    """Whether the lease is still held by the caller."""
    return connection.execute(select(leases.c.fence).where(_is(lease))).first() is not None


def counter(connection: Connection, name: str) -> tuple[int, int] | None:
    """Return fence and counter of a lease that is held; a change of either shows that somebody is at work."""
    held = select(leases.c.fence, leases.c.beat).where(leases.c.name == name, leases.c.owner != FREE)
    row = connection.execute(held).one_or_none()
    return None if row is None else (row.fence, row.beat)


def _is(lease: Lease) -> ColumnElement[bool]:
    return and_(leases.c.name == lease.name, leases.c.owner == lease.owner, leases.c.fence == lease.fence)
