"""The service's events as received, and the decision about each.

| state | meaning |
|---|---|
| new | stored, not decided yet; `next_at` is the time of the next attempt |
| fired | confirmed by the API, and enqueued for every matching subscription |
| stale | the same or a later status was already reported |
| unconfirmed | the API never showed what the event claims |
| forged | the API contradicts the event, or does not know its subject |
| unknown | an event name that the service's description does not list |
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Executable, Row, and_, case, delete, func, or_, select, update

from connector.store.database.statements import as_utc, insert_many
from connector.store.schema import events
from connector.store.triggers import due_work
from connector.store.trust import sealing

State = Literal["new", "fired", "stale", "unconfirmed", "forged", "unknown"]


class IncomingEvent(NamedTuple):
    """A received event that is not stored yet."""

    credential_id: str
    event_id: str
    event: str
    body: str


@dataclass(frozen=True, slots=True)
class Event:
    """A stored event."""

    id: int
    credential_id: str
    event_id: str
    event: str
    body: str
    state: State
    repeats: int
    tries: int
    next_at: datetime | None
    arrived_at: datetime
    decided_at: datetime | None


def insert(connection: Connection, incoming: Sequence[IncomingEvent], now: datetime) -> None:
    """Store events, and tell that they are to be decided. One that is already stored counts as a repeat."""
    first: dict[tuple[str, str], IncomingEvent] = {}
    again = [event for event in incoming if first.setdefault((event.credential_id, event.event_id), event) is not event]
    _insert(connection, list(first.values()), now)
    for event in again:  # PostgreSQL changes no row twice in one statement
        _insert(connection, [event], now)
    due_work.schedule_each(connection, due_work.EVENTS, {event.credential_id for event in incoming}, now)


def _insert(connection: Connection, incoming: Sequence[IncomingEvent], now: datetime) -> None:
    same = {"state": "new", "repeats": 0, "tries": 0, "next_at": now, "arrived_at": now}
    bodies = sealing.seal_each(connection, [event.body for event in incoming])
    rows = [{**same, **event._asdict(), "body": body} for event, body in zip(incoming, bodies, strict=True)]
    insert_many(connection, events, rows, _count_repeat)


def _count_repeat(insert: Any) -> Executable:
    """Count an event that is already stored. What the API did not show may show by now: then it is decided again."""
    undecided = or_(events.c.state == "unconfirmed", events.c.state == "forged")  # IN cannot be sent for many rows
    again = {"next_at": insert.excluded.next_at, "tries": 0, "state": "new"}
    values = {name: case((undecided, value), else_=events.c[name]) for name, value in again.items()}
    counted: Executable = insert.on_conflict_do_update(
        index_elements=[events.c.credential_id, events.c.event_id], set_={"repeats": events.c.repeats + 1, **values}
    )
    return counted


def due(connection: Connection, now: datetime, limit: int) -> Sequence[Event]:
    """Return the undecided events that are due, in order of arrival."""
    return _in_order(connection, _due(now), limit)


def due_of(connection: Connection, credential_id: str, now: datetime, limit: int) -> Sequence[Event]:
    """Return the undecided events of a credential that are due, in order of arrival."""
    return _in_order(connection, and_(_due(now), events.c.credential_id == credential_id), limit)


def next_of(connection: Connection, credential_id: str) -> datetime | None:
    """Return when the next undecided event of a credential is due; None when all are decided."""
    waiting = and_(events.c.state == "new", events.c.credential_id == credential_id)
    first = select(func.min(events.c.next_at)).where(waiting)
    earliest: datetime | None = as_utc(connection.execute(first).scalar_one())
    return earliest


def undecided(connection: Connection, ids: Collection[int]) -> set[int]:
    """Return those of the events that are not decided yet."""
    still_new = and_(events.c.id.in_(list(ids)), events.c.state == "new")
    return set(connection.execute(select(events.c.id).where(still_new)).scalars())


def set_state(connection: Connection, ids: Collection[int], state: State, now: datetime) -> None:
    """Record the decision about events."""
    if ids:
        change = update(events).where(events.c.id.in_(list(ids)))
        connection.execute(change.values(state=state, next_at=None, decided_at=now))


def postpone(connection: Connection, ids: Collection[int], until: datetime, *, tried: bool) -> None:
    """Postpone the decision. `tried` counts an attempt that did not confirm the events."""
    if ids:
        change = update(events).where(and_(events.c.id.in_(list(ids)), events.c.state == "new"))
        connection.execute(change.values(next_at=until, tries=events.c.tries + int(tried)))


def postpone_due(connection: Connection, credential_id: str, until: datetime, now: datetime) -> None:
    """Postpone the decision about all events of a credential that are due, without an attempt."""
    connection.execute(update(events).where(_due(now), events.c.credential_id == credential_id).values(next_at=until))


def pull_back(connection: Connection, late: datetime, now: datetime) -> int:
    """Make due now the undecided events that are scheduled after `late`."""
    ahead = and_(events.c.state == "new", events.c.next_at > late)
    return connection.execute(update(events).where(ahead).values(next_at=now)).rowcount


def listed(
    connection: Connection,
    credential_id: str,
    limit: int = 100,
    state: str | None = None,
    named: Collection[str] | None = None,
) -> Sequence[Event]:
    """Return the events of a credential, latest first; only those in a state, or of these names, if given."""
    wanted = events.c.credential_id == credential_id
    if state is not None:
        wanted = and_(wanted, events.c.state == state)
    if named is not None:
        wanted = and_(wanted, events.c.event.in_(list(named)))
    rows = connection.execute(select(events).where(wanted).order_by(events.c.id.desc()).limit(limit))
    return [_event(connection, row) for row in rows]


def bodies(connection: Connection, credential_id: str, named: Collection[str], limit: int) -> Sequence[str]:
    """Return the bodies of the latest events of these names that the API has confirmed, the oldest first."""
    confirmed = and_(events.c.credential_id == credential_id, events.c.event.in_(list(named)))
    query = select(events.c.body).where(confirmed, events.c.state.in_(("fired", "stale")))
    latest = connection.execute(query.order_by(events.c.id.desc()).limit(limit)).scalars()
    return [sealing.opened(connection, body) for body in latest][::-1]


def counts(connection: Connection, credential_id: str) -> dict[str, int]:
    """Return the number of events by state, and under `repeated` how many were received more than once."""
    mine = events.c.credential_id == credential_id
    rows = connection.execute(
        select(events.c.state, func.count(), func.sum(case((events.c.repeats > 0, 1), else_=0)))
        .where(mine)
        .group_by(events.c.state)
    ).all()
    return {**{state: count for state, count, _ in rows}, "repeated": sum(int(repeated) for _, _, repeated in rows)}


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete decided events that arrived before `before`."""
    past = and_(events.c.state != "new", events.c.arrived_at < before)
    return connection.execute(delete(events).where(past)).rowcount


def _due(now: datetime) -> ColumnElement[bool]:
    return and_(events.c.state == "new", events.c.next_at <= now)


def _in_order(connection: Connection, which: ColumnElement[bool], limit: int) -> Sequence[Event]:
    rows = connection.execute(select(events).where(which).order_by(events.c.id).limit(limit))
    return [_event(connection, row) for row in rows]


def _event(connection: Connection, row: Row[Any]) -> Event:
    return Event(
        row.id,
        row.credential_id,
        row.event_id,
        row.event,
        sealing.opened(connection, row.body),
        row.state,
        row.repeats,
        row.tries,
        as_utc(row.next_at),
        as_utc(row.arrived_at),
        as_utc(row.decided_at),
    )
