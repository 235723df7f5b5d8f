"""The service's events as they came in, and what was decided about each.

| state | meaning |
|---|---|
| new | on disk, not decided yet; `next_at` says when it is looked at (again) |
| fired | confirmed, and told to every subscription that it concerns |
| stale | true once, but a later status, or the same one, was told before |
| unconfirmed | the API never showed what the event says |
| forged | the API does not know what the event speaks of, or says the contrary |
| unknown | a kind of event that the description does not know |
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Dialect, Row, and_, bindparam, case, delete, func, literal_column, select, update
from sqlalchemy.dialects import postgresql, sqlite

from connector.store.moments import aware
from connector.store.schema import events

State = Literal["new", "fired", "stale", "unconfirmed", "forged", "unknown"]


class Arrival(NamedTuple):
    """An event that has just come in."""

    credential_id: str
    event_id: str
    event: str
    body: str


@dataclass(frozen=True, slots=True)
class Event:
    """An event on disk."""

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


def arrive(connection: Connection, arrivals: Sequence[Arrival], now: datetime) -> None:
    """Enters events. One that is already there is only counted as a repeat."""
    sql, by_position, moment = _entry(connection.dialect)
    at = moment(now)
    rows: list[Any] = [(*one, at, at) for one in arrivals]
    if not by_position:
        rows = [{**one._asdict(), "at": at} for one in arrivals]
    cursor = connection.connection.cursor()  # past SQLAlchemy, straight to the driver: senders wait while this runs
    try:
        cursor.executemany(sql, rows)
    finally:
        cursor.close()


@lru_cache(maxsize=16)
def _entry(dialect: Dialect) -> tuple[str, bool, Callable[[datetime], Any]]:
    """The statement that enters an event, made ready once for a driver.

    With it come whether the driver wants its parameters by position, and how it wants a point in time.
    """
    insert = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
    entry = insert(events).values(
        credential_id=bindparam("credential_id"),
        event_id=bindparam("event_id"),
        event=bindparam("event"),
        body=bindparam("body"),
        state=literal_column("'new'"),
        repeats=literal_column("0"),
        tries=literal_column("0"),
        next_at=bindparam("at"),
        arrived_at=bindparam("at"),
    )
    counting = entry.inline().on_conflict_do_update(
        index_elements=["credential_id", "event_id"], set_={"repeats": literal_column("events.repeats + 1")}
    )
    compiled: Any = counting.compile(dialect=dialect)
    if compiled.positional:
        assert compiled.positiontup == ["credential_id", "event_id", "event", "body", "at", "at"]
    processor = events.c.arrived_at.type.dialect_impl(dialect).bind_processor(dialect)
    return str(compiled), bool(compiled.positional), processor or (lambda at: at)


def due(connection: Connection, now: datetime, limit: int) -> Sequence[Event]:
    """Undecided events whose time has come, in the order in which they came in."""
    waiting = and_(events.c.state == "new", events.c.next_at <= now)
    rows = connection.execute(select(events).where(waiting).order_by(events.c.id).limit(limit))
    return [_event(row) for row in rows]


def still_new(connection: Connection, ids: Collection[int]) -> set[int]:
    """Those of the events that nobody has decided yet."""
    undecided = and_(events.c.id.in_(list(ids)), events.c.state == "new")
    return set(connection.execute(select(events.c.id).where(undecided)).scalars())


def decide(connection: Connection, ids: Collection[int], state: State, now: datetime) -> None:
    """Enters what was decided."""
    if ids:
        change = update(events).where(events.c.id.in_(list(ids)))
        connection.execute(change.values(state=state, next_at=None, decided_at=now))


def put_off(connection: Connection, ids: Collection[int], until: datetime, *, tried: bool) -> None:
    """Lets events wait. `tried` counts the look that did not confirm them."""
    if ids:
        change = update(events).where(and_(events.c.id.in_(list(ids)), events.c.state == "new"))
        connection.execute(change.values(next_at=until, tries=events.c.tries + int(tried)))


def listed(connection: Connection, credential_id: str, limit: int = 100, state: str | None = None) -> Sequence[Event]:
    """The latest events first, for people."""
    wanted = events.c.credential_id == credential_id
    if state is not None:
        wanted = and_(wanted, events.c.state == state)
    rows = connection.execute(select(events).where(wanted).order_by(events.c.id.desc()).limit(limit))
    return [_event(row) for row in rows]


def counts(connection: Connection, credential_id: str) -> dict[str, int]:
    """How many events stand in which state, and under `repeated` how many of them came more than once."""
    mine = events.c.credential_id == credential_id
    rows = connection.execute(
        select(events.c.state, func.count(), func.sum(case((events.c.repeats > 0, 1), else_=0)))
        .where(mine)
        .group_by(events.c.state)
    ).all()
    return {**{state: count for state, count, _ in rows}, "repeated": sum(int(repeated) for _, _, repeated in rows)}


def forget(connection: Connection, before: datetime) -> int:
    """Removes events that were decided, and came in before a day long ago."""
    past = and_(events.c.state != "new", events.c.arrived_at < before)
    return connection.execute(delete(events).where(past)).rowcount


def _event(row: Row[Any]) -> Event:
    return Event(
        row.id,
        row.credential_id,
        row.event_id,
        row.event,
        row.body,
        row.state,
        row.repeats,
        row.tries,
        aware(row.next_at),
        aware(row.arrived_at),
        aware(row.decided_at),
    )
