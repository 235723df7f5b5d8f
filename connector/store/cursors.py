"""Cursors: how far each poll trigger has read, when it is due, and what its last poll met.

A cursor belongs to a name under a key, not to a subscription: re-creating a flow under the same name goes on where the
former one stopped. It is moved only by `items.commit`, together with the items that were found on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Case, ColumnElement, Connection, and_, case, select, update

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values import json
from connector.store.leases import Lease
from connector.store.moments import aware
from connector.store.once import insert_new
from connector.store.schema import cursors


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
    nudged_at: datetime | None
    sign: dict[str, Any]
    trouble: dict[str, Any] | None


def begin(
    connection: Connection,
    name: str,
    *,
    credential: str,
    trigger: str,
    inputs: Mapping[str, Any],
    start: str,
    next_at: datetime | None,
) -> StoredCursor:
    """The cursor of this name, made if there is none. An existing one stays where it is, with these inputs."""
    text = json.encode(dict(inputs)).decode()
    fresh = {"credential": credential, "trigger": trigger, "inputs": text, "start": start, "next_at": next_at}
    insert_new(connection, cursors, {"name": name, "fence": 0, **fresh})
    found = get(connection, name)
    assert found is not None  # entered just above, or before
    if found.trigger != trigger:
        short = name.partition(":")[2]
        raise InputError(say("cursor_of_other_trigger", name=short, trigger=found.trigger), field="name")
    values: dict[str, Any] = {"inputs": text}
    if found.cursor is None:
        values["start"] = start
    if next_at is not None:
        values["next_at"] = next_at
    connection.execute(update(cursors).where(cursors.c.name == name).values(values))
    renewed = get(connection, name)
    assert renewed is not None
    return renewed


def get(connection: Connection, name: str) -> StoredCursor | None:
    """One cursor."""
    found = _found(connection, cursors.c.name == name)
    return found[0] if found else None


def due(connection: Connection, now: datetime, most: int) -> Sequence[StoredCursor]:
    """The cursors whose time has come, the longest overdue first."""
    return _found(connection, cursors.c.next_at <= now, most)


def watched(connection: Connection, credential: str) -> Sequence[StoredCursor]:
    """All cursors of a key that the engine polls."""
    return _found(connection, and_(cursors.c.credential == credential, cursors.c.next_at.is_not(None)))


def idle(connection: Connection, names: Sequence[str]) -> None:
    """Nobody subscribes to them any more: they keep their place, and are not polled."""
    connection.execute(update(cursors).where(cursors.c.name.in_(names)).values(next_at=None))


def nudge(connection: Connection, names: Sequence[str], now: datetime) -> None:
    """There is something to fetch: the cursors are due now, if they are polled at all."""
    polled = and_(cursors.c.name.in_(names), cursors.c.next_at.is_not(None))
    connection.execute(update(cursors).where(polled).values(next_at=now, nudged_at=now))


def hurry(connection: Connection, names: Sequence[str], now: datetime) -> None:
    """Something may have happened: the cursors look for free signs now, if they are polled at all."""
    polled = and_(cursors.c.name.in_(names), cursors.c.next_at.is_not(None))
    connection.execute(update(cursors).where(polled).values(next_at=now))


def rest(connection: Connection, name: str, fence: int, next_at: datetime, began: datetime, **more: Any) -> bool:
    """A poll is over: when the next one is due. What arrived after it began is not slept through.

    `more` may renew `polled_at`, `sign` and `trouble`. False when a later holder of the lease has written already.
    """
    mine = and_(cursors.c.name == name, cursors.c.fence <= fence)
    values = {"next_at": _unless_nudged(next_at, began), "fence": fence, **_written(more)}
    return connection.execute(update(cursors).where(mine).values(values)).rowcount == 1


def wait(connection: Connection, name: str, next_at: datetime, began: datetime, trouble: dict[str, Any] | None) -> None:
    """Nothing was polled, for lack of a sign or of a usable credential: when to look again, and what is wrong if so."""
    values = {"next_at": _unless_nudged(next_at, began), **_written({"trouble": trouble})}
    connection.execute(update(cursors).where(cursors.c.name == name).values(values))


def move(connection: Connection, lease: Lease, name: str, old: str | None, new: str) -> bool:
    """Moves the cursor from `old` to `new`; False when it is not at `old`, or a later holder has written already."""
    at_old = cursors.c.cursor.is_(None) if old is None else cursors.c.cursor == old
    mine = and_(cursors.c.name == name, cursors.c.fence <= lease.fence, at_old)
    return connection.execute(update(cursors).where(mine).values(cursor=new, fence=lease.fence)).rowcount == 1


def _unless_nudged(next_at: datetime, began: datetime) -> Case[Any]:
    """The next time; at once if a nudge came after the look at the cursor. One that nobody polls stays so."""
    return case((cursors.c.next_at.is_(None), None), (cursors.c.nudged_at > began, began), else_=next_at)


def _written(values: dict[str, Any]) -> dict[str, Any]:
    """Signs and troubles as JSON."""
    kept = {"sign", "trouble"}
    return {
        name: json.encode(value).decode() if name in kept and value is not None else value
        for name, value in values.items()
    }


def _found(connection: Connection, which: ColumnElement[bool], most: int | None = None) -> list[StoredCursor]:
    rows = connection.execute(select(cursors).where(which).order_by(cursors.c.next_at, cursors.c.name).limit(most))
    return [
        StoredCursor(
            row.name,
            row.credential,
            row.trigger,
            json.decode(row.inputs),
            row.cursor,
            row.start,
            aware(row.next_at),
            aware(row.polled_at),
            aware(row.nudged_at),
            json.decode(row.sign) if row.sign else {},
            json.decode(row.trouble) if row.trouble else None,
        )
        for row in rows
    ]
