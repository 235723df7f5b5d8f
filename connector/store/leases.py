"""Leases: locks with a heartbeat, by which several hosts on one database divide the work.

The holder raises the lease's counter every few seconds. Whoever has seen the counter stand still for 20 s on its own
monotonic clock takes the lease over, by compare-and-set, so the work of a dead host continues; the wall clock plays no
part. Each new holder gets a higher fencing token: a host that was only slow finds on writing that its fence is no
longer the highest.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, select, update

from connector.core.heartbeat import BeatObserver
from connector.store.insert_once import insert_if_absent
from connector.store.schema import leases

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
