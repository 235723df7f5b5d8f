"""Cursors: the position of each poll trigger, when its next poll is due, and the error of its last poll.

A cursor belongs to a name under an API key, not to a subscription: a flow that is created again under the same name
continues where the former one stopped. Only `items.commit` advances it, in one transaction with the items found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, null, select, update

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values import json
from connector.store.database.leases import Lease
from connector.store.database.statements import as_utc, insert_if_absent
from connector.store.schema import cursors
from connector.store.triggers import due_work, timeline


@dataclass(frozen=True, slots=True)
class StoredCursor:
    """A row of the table."""

    name: str
    credential: str
    """The key's fingerprint."""
    trigger: str
    inputs: dict[str, Any]
    cursor: str | None
    start: str
    next_at: datetime | None
    polled_at: datetime | None
    nudges: int
    """How often new data was announced so far."""
    nudges_polled: int
    """The same when the last successful poll began."""
    nudged_at: datetime | None
    sign: dict[str, Any]
    trouble: dict[str, Any] | None


PAID = "paid"
"""Under which a cursor's sign keeps what is left of the paid looks of the day."""


def get_or_create(
    connection: Connection,
    name: str,
    *,
    credential: str,
    trigger: str,
    inputs: Mapping[str, Any],
    start: str,
    next_at: datetime | None,
) -> StoredCursor:
    """Return the cursor of this name, created if absent. An existing one keeps its position and gets these inputs."""
    text = json.encode(dict(inputs)).decode()
    fresh = {"credential": credential, "trigger": trigger, "inputs": text, "start": start, "next_at": next_at}
    insert_if_absent(connection, cursors, {"name": name, "fence": 0, **fresh})
    cursor = get(connection, name)
    assert cursor is not None  # entered just above, or before
    if cursor.trigger != trigger:
        short = name.partition(":")[2]
        raise InputError(say("cursor_of_other_trigger", name=short, trigger=cursor.trigger), field="name")
    values: dict[str, Any] = {"inputs": text}
    if cursor.inputs != json.decode(text) and PAID in cursor.sign:  # what was paid for was another list
        values["sign"] = json.encode({key: value for key, value in cursor.sign.items() if key != PAID}).decode()
    if cursor.cursor is None:
        values["start"] = start
    if next_at is not None:
        values["next_at"] = next_at
    connection.execute(update(cursors).where(cursors.c.name == name).values(values))
    if next_at is not None:
        due_work.schedule_polls(connection, credential, next_at)
    renewed = get(connection, name)
    assert renewed is not None
    return renewed


def get(connection: Connection, name: str) -> StoredCursor | None:
    """Return one cursor."""
    rows = _select(connection, cursors.c.name == name)
    return rows[0] if rows else None


def get_all(connection: Connection, names: Sequence[str]) -> Sequence[StoredCursor]:
    """Return the cursors of these names that are there."""
    return _select(connection, cursors.c.name.in_(names))


def due(connection: Connection, now: datetime, most: int) -> Sequence[StoredCursor]:
    """Return the cursors whose next poll is due, longest overdue first."""
    return _select(connection, cursors.c.next_at <= now, most)


def due_of(connection: Connection, credential: str, now: datetime, most: int) -> Sequence[StoredCursor]:
    """Return the cursors of a key whose next poll is due, longest overdue first."""
    return _select(connection, and_(cursors.c.credential == credential, cursors.c.next_at <= now), most)


def next_of(connection: Connection, credential: str) -> datetime | None:
    """Return when the next poll of any cursor of a key is due; None when none is polled."""
    first = select(func.min(cursors.c.next_at)).where(cursors.c.credential == credential)
    earliest: datetime | None = as_utc(connection.execute(first).scalar_one())
    return earliest


def scheduled(connection: Connection, credential: str) -> Sequence[StoredCursor]:
    """Return all cursors of a key that the engine polls."""
    return _select(connection, and_(cursors.c.credential == credential, cursors.c.next_at.is_not(None)))


def in_trouble(connection: Connection, credential: str) -> Sequence[StoredCursor]:
    """Return the cursors of a key that the engine polls and whose last poll failed."""
    failed = and_(cursors.c.credential == credential, cursors.c.next_at.is_not(None), cursors.c.trouble.is_not(None))
    return _select(connection, failed)


def unschedule(connection: Connection, names: Sequence[str]) -> None:
    """Stop polling cursors without subscriptions; they keep their position."""
    connection.execute(update(cursors).where(cursors.c.name.in_(names)).values(next_at=None))


def nudge(connection: Connection, names: Sequence[str], now: datetime) -> None:
    """Make scheduled cursors due now and record that new data was announced."""
    polled = and_(cursors.c.name.in_(names), cursors.c.next_at.is_not(None))
    connection.execute(update(cursors).where(polled).values(next_at=now, nudged_at=now, nudges=cursors.c.nudges + 1))


def make_due(connection: Connection, names: Sequence[str], now: datetime) -> None:
    """Make scheduled cursors due now, without announcing new data: they check the free change signals first."""
    polled = and_(cursors.c.name.in_(names), cursors.c.next_at.is_not(None))
    connection.execute(update(cursors).where(polled).values(next_at=now))


def finish_poll(
    connection: Connection, stored: StoredCursor, fence: int, next_at: datetime, began: datetime, **more: Any
) -> bool:
    """Schedule the next poll after one that began with `stored`; a nudge since then makes it due at once.

    `more` may set `polled_at`, `sign` and `trouble`. False when a later holder of the lease has already written.
    """
    values = {"fence": fence, **more}
    if "polled_at" in more:
        values["nudges_polled"] = stored.nudges
    finished = _schedule(connection, stored, next_at, began, values) == 1
    if finished and "trouble" in more:
        _record_trouble(connection, stored, more["trouble"], began)
    return finished


def postpone(
    connection: Connection,
    stored: StoredCursor,
    next_at: datetime,
    now: datetime,
    trouble: dict[str, Any] | None,
    sign: dict[str, Any] | None = None,
) -> None:
    """Schedule the next attempt when nothing was polled, for lack of a change signal or because of `trouble`."""
    _schedule(connection, stored, next_at, now, {"trouble": trouble, **({"sign": sign} if sign is not None else {})})
    _record_trouble(connection, stored, trouble, now)


def _record_trouble(
    connection: Connection, stored: StoredCursor, trouble: dict[str, Any] | None, now: datetime
) -> None:
    """Tell in the timeline of the first poll that failed so, and of the first that worked again."""
    if trouble is not None and stored.trouble is not None and trouble.get("kind") == stored.trouble.get("kind"):
        return  # it goes on as it was
    if trouble is not None:
        details: dict[str, Any] = {
            name: trouble[name] for name in ("kind", "text", "message", "failures") if name in trouble
        }
        timeline.record(connection, stored.name, "poll.failed", now, details)
    elif stored.trouble is not None:
        timeline.record(connection, stored.name, "poll.recovered", now)


def pull_back(connection: Connection, which: ColumnElement[bool], now: datetime) -> int:
    """Make cursors due now that were scheduled by a clock that ran ahead, and correct the other times it wrote."""
    values = {
        "next_at": now,
        "polled_at": case((cursors.c.polled_at > now, now), else_=cursors.c.polled_at),
        "nudged_at": case((cursors.c.nudged_at > now, now), else_=cursors.c.nudged_at),
    }
    return connection.execute(update(cursors).where(which).values(values)).rowcount


def advance(connection: Connection, lease: Lease, name: str, old: str | None, new: str) -> bool:
    """Move the cursor from `old` to `new`; False when it is not at `old` or a later lease holder has written."""
    at_old = cursors.c.cursor.is_(None) if old is None else cursors.c.cursor == old
    mine = and_(cursors.c.name == name, cursors.c.fence <= lease.fence, at_old)
    return connection.execute(update(cursors).where(mine).values(cursor=new, fence=lease.fence)).rowcount == 1


def _schedule(
    connection: Connection, stored: StoredCursor, next_at: datetime, now: datetime, values: Mapping[str, Any]
) -> int:
    """Set the time of the next poll, which is `now` if nudged since `stored` was read, and other columns."""
    planned = case(
        (cursors.c.next_at.is_(None), null()),  # an unscheduled cursor stays so
        (cursors.c.nudges > stored.nudges, literal(now, cursors.c.next_at.type)),
        else_=literal(next_at, cursors.c.next_at.type),
    )
    mine = cursors.c.name == stored.name
    # A fence must not be below the one stored.
    which = and_(mine, cursors.c.fence <= values["fence"]) if "fence" in values else mine
    return connection.execute(update(cursors).where(which).values(next_at=planned, **_as_json(values))).rowcount


def _as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Encode the columns `sign` and `trouble` as JSON."""
    encoded = {"sign", "trouble"}
    return {
        name: json.encode(value).decode() if name in encoded and value is not None else value
        for name, value in values.items()
    }


def _select(connection: Connection, which: ColumnElement[bool], most: int | None = None) -> list[StoredCursor]:
    rows = connection.execute(select(cursors).where(which).order_by(cursors.c.next_at, cursors.c.name).limit(most))
    return [
        StoredCursor(
            row.name,
            row.credential,
            row.trigger,
            json.decode(row.inputs),
            row.cursor,
            row.start,
            as_utc(row.next_at),
            as_utc(row.polled_at),
            row.nudges,
            row.nudges_polled,
            as_utc(row.nudged_at),
            json.decode(row.sign) if row.sign else {},
            json.decode(row.trouble) if row.trouble else None,
        )
        for row in rows
    ]
