"""Leases: who may do a piece of work right now, and until when. Several hosts on one database share the work by them.

A lease that has run out can be taken by anybody, so the work of a dead host goes on. Each new holder gets a higher
fence: whoever was only slow, and not dead, finds on writing that its fence is no longer the highest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, select, update

from connector.store.moments import aware
from connector.store.once import insert_new
from connector.store.schema import leases


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do what `name` stands for."""

    name: str
    owner: str
    fence: int
    until: datetime


def acquire(connection: Connection, name: str, owner: str, seconds: float, now: datetime) -> Lease | None:
    """Takes the lease, unless it is held: by somebody else, or by another task of the same owner."""
    until = now + timedelta(seconds=seconds)
    if insert_new(connection, leases, {"name": name, "owner": owner, "fence": 1, "until": until}):
        return Lease(name, owner, 1, until)
    free = and_(leases.c.name == name, leases.c.until <= now)
    values = {"owner": owner, "fence": leases.c.fence + 1, "until": until}
    if connection.execute(update(leases).where(free).values(values)).rowcount == 0:
        return None
    fence = connection.execute(select(leases.c.fence).where(leases.c.name == name)).scalar_one()
    return Lease(name, owner, fence, until)


def renew(connection: Connection, lease: Lease, seconds: float, now: datetime) -> Lease | None:
    """Makes the lease last longer; None when somebody else has it by now."""
    until = now + timedelta(seconds=seconds)
    renewed = connection.execute(update(leases).where(_is(lease)).values(until=until))
    return Lease(lease.name, lease.owner, lease.fence, until) if renewed.rowcount else None


def release(connection: Connection, lease: Lease, now: datetime) -> None:
    """Gives the lease back. The row stays, so that fences go on growing."""
    connection.execute(update(leases).where(_is(lease)).values(until=now))


def holds(connection: Connection, lease: Lease, now: datetime) -> bool:
    """Whether the lease is still the caller's own."""
    until = connection.execute(select(leases.c.until).where(_is(lease))).scalar_one_or_none()
    return until is not None and aware(until) > now


def _is(lease: Lease) -> ColumnElement[bool]:
    return and_(leases.c.name == lease.name, leases.c.owner == lease.owner, leases.c.fence == lease.fence)
