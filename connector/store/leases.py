"""Leases: expiring locks by which several hosts on one database divide the work.

An expired lease can be acquired by any host, so the work of a dead host continues. Each new holder gets a higher
fencing token: a host that was only slow finds on writing that its fence is no longer the highest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, select, update

from connector.store.insert_once import insert_if_absent
from connector.store.schema import leases
from connector.store.timestamps import as_utc


@dataclass(frozen=True, slots=True)
class Lease:
    """An exclusive right to the work called `name`, until a time."""

    name: str
    owner: str
    fence: int
    until: datetime


def acquire(connection: Connection, name: str, owner: str, seconds: float, now: datetime) -> Lease | None:
    """Acquire the lease; None when it is held, by another owner or by another task of the same one."""
    until = now + timedelta(seconds=seconds)
    if insert_if_absent(connection, leases, {"name": name, "owner": owner, "fence": 1, "until": until}):
        return Lease(name, owner, 1, until)
    free = and_(leases.c.name == name, leases.c.until <= now)
    values = {"owner": owner, "fence": leases.c.fence + 1, "until": until}
    if connection.execute(update(leases).where(free).values(values)).rowcount == 0:
        return None
    fence = connection.execute(select(leases.c.fence).where(leases.c.name == name)).scalar_one()
    return Lease(name, owner, fence, until)


def renew(connection: Connection, lease: Lease, seconds: float, now: datetime) -> Lease | None:
    """Extend the lease; None when another owner has acquired it."""
    until = now + timedelta(seconds=seconds)
    renewed = connection.execute(update(leases).where(_is(lease)).values(until=until))
    return Lease(lease.name, lease.owner, lease.fence, until) if renewed.rowcount else None


def release(connection: Connection, lease: Lease, now: datetime) -> None:
    """Release the lease. Its row stays, so that fences keep growing."""
    connection.execute(update(leases).where(_is(lease)).values(until=now))


def holds(connection: Connection, lease: Lease, now: datetime) -> bool:
    """Whether the lease is still held by the caller."""
    until = connection.execute(select(leases.c.until).where(_is(lease))).scalar_one_or_none()
    return until is not None and as_utc(until) > now


def _is(lease: Lease) -> ColumnElement[bool]:
    return and_(leases.c.name == lease.name, leases.c.owner == lease.owner, leases.c.fence == lease.fence)
