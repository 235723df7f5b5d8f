"""Timers: when a recurring job of all hosts together is next due, and the time of the host that keeps the clock."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, or_, select, update

from connector.store.insert_once import insert_if_absent
from connector.store.schema import timers
from connector.store.timestamps import as_utc


def claim(connection: Connection, name: str, every: timedelta, now: datetime) -> bool:
    """Whether the job is due; if so, it is next due after `every`, for all hosts.

    A time further ahead than `every` was set by a clock that ran ahead, and counts as due.
    """
    next_at = now + every
    if insert_if_absent(connection, timers, {"name": name, "at": next_at}):
        return True
    due = and_(timers.c.name == name, or_(timers.c.at <= now, timers.c.at > next_at))
    return connection.execute(update(timers).where(due).values(at=next_at)).rowcount == 1


def set_time(connection: Connection, name: str, at: datetime) -> None:
    """Set a timer, created if absent."""
    if not insert_if_absent(connection, timers, {"name": name, "at": at}):
        connection.execute(update(timers).where(timers.c.name == name).values(at=at))


def time_of(connection: Connection, name: str) -> datetime | None:
    """Return the time of a timer."""
    return as_utc(connection.execute(select(timers.c.at).where(timers.c.name == name)).scalar_one_or_none())
