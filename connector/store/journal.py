"""The journal: every write is entered before it leaves, so that it is never sent twice.

| state | meaning | the same key again |
|---|---|---|
| begun | on its way, or its process died with it | wait for it; once nobody can be sending it any more: doubtful |
| done | the service confirmed it | the first result, nothing is sent |
| refused | the service certainly did not act | a new attempt |
| doubtful | nobody knows whether the service acted | looked up where that is possible, else parked for a person |
| settled | a person has said what became of it | as that person said |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, and_, insert, select, update

from connector.store.schema import journal
from connector.values import json

State = Literal["begun", "done", "refused", "doubtful", "settled"]


@dataclass(frozen=True, slots=True)
class Intent:
    """A write that is about to leave."""

    credential: str
    key: str
    action: str
    digest: str
    inputs: bytes
    owner: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the journal."""

    id: int
    key: str
    action: str
    digest: str
    inputs: Any
    state: State
    owner: str
    outcome: Any
    begun_at: datetime
    changed_at: datetime


def begin(connection: Connection, intent: Intent, now: datetime) -> Entry | None:
    """Enters the intent. None: it is entered, and may be sent. Otherwise the key was used before: its entry."""
    found = find(connection, intent.credential, intent.key)
    if found is None:
        connection.execute(
            insert(journal).values(
                credential=intent.credential,
                key=intent.key,
                action=intent.action,
                digest=intent.digest,
                inputs=intent.inputs.decode(),
                state="begun",
                owner=intent.owner,
                begun_at=now,
                changed_at=now,
            )
        )
        return None
    same = found.digest == intent.digest and found.action == intent.action
    if found.state == "refused" and same and take_over(connection, found, intent, now):
        return None
    return found


def take_over(connection: Connection, entry: Entry, intent: Intent, now: datetime) -> bool:
    """Makes an entry the caller's own, to be sent again, unless somebody else did so first."""
    unchanged = and_(journal.c.id == entry.id, journal.c.owner == entry.owner, journal.c.state == entry.state)
    taken = connection.execute(
        update(journal)
        .where(unchanged)
        .values(state="begun", owner=intent.owner, outcome=None, begun_at=now, changed_at=now)
    )
    return taken.rowcount == 1


def finish(connection: Connection, intent: Intent, state: State, outcome: Any, now: datetime) -> None:
    """Enters what became of the intent."""
    mine = and_(journal.c.credential == intent.credential, journal.c.key == intent.key, journal.c.owner == intent.owner)
    connection.execute(
        update(journal).where(mine).values(state=state, outcome=json.encode(outcome).decode(), changed_at=now)
    )


def find(connection: Connection, credential: str, key: str) -> Entry | None:
    """The entry of a key."""
    row = connection.execute(
        select(journal).where(and_(journal.c.credential == credential, journal.c.key == key))
    ).one_or_none()
    return None if row is None else _entry(row)


def parked(connection: Connection, credential: str, dead_since: datetime) -> Sequence[Entry]:
    """What a person must settle: doubtful entries, and those whose process died before `dead_since`."""
    rows = connection.execute(
        select(journal)
        .where(
            and_(
                journal.c.credential == credential,
                (journal.c.state == "doubtful") | ((journal.c.state == "begun") & (journal.c.changed_at < dead_since)),
            )
        )
        .order_by(journal.c.id)
    )
    return [_entry(row) for row in rows]


def settle(connection: Connection, credential: str, key: str, happened: bool, note: str, now: datetime) -> bool:
    """A person says what became of a parked entry. If it did not happen, the key is free for a new attempt."""
    state = "settled" if happened else "refused"
    outcome = json.encode({"output": None, "settled_by_hand": True, "happened": happened, "note": note}).decode()
    changed = connection.execute(
        update(journal)
        .where(
            and_(
                journal.c.credential == credential,
                journal.c.key == key,
                journal.c.state.in_(["doubtful", "begun"]),
            )
        )
        .values(state=state, outcome=outcome, changed_at=now)
    )
    return changed.rowcount == 1


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        row.id,
        row.key,
        row.action,
        row.digest,
        json.decode(row.inputs),
        row.state,
        row.owner,
        None if row.outcome is None else json.decode(row.outcome),
        _aware(row.begun_at),
        _aware(row.changed_at),
    )


def _aware(moment: datetime) -> datetime:
    """SQLite keeps no zone; everything is written in UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
