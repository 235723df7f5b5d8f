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

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from connector.core.values import json
from connector.core.values.ids import GENERATED_KEY_PREFIX
from connector.store.schema import journal
from connector.store.swift import Swift

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


_ROW: dict[str, Any] = {column.name: bindparam(column.name) for column in journal.columns if column.name != "id"}
_ENTER = Swift(
    sqlite=sqlite.insert(journal).values(_ROW).on_conflict_do_nothing(),
    postgresql=postgresql.insert(journal).values(_ROW).on_conflict_do_nothing(),
)
_FINISH = Swift(
    update(journal)
    .where(
        and_(
            journal.c.credential == bindparam("of_credential"),
            journal.c.key == bindparam("of_key"),
            journal.c.owner == bindparam("of_owner"),
        )
    )
    .values(state=bindparam("to_state"), outcome=bindparam("with_outcome"), changed_at=bindparam("at"))
)


def begin(connection: Connection, intent: Intent, now: datetime) -> Entry | None:
    """Enters the intent. None: it is entered, and may be sent. Otherwise the key was used before: its entry."""
    entered = _ENTER(
        connection,
        {
            "credential": intent.credential,
            "key": intent.key,
            "action": intent.action,
            "digest": intent.digest,
            "inputs": intent.inputs.decode(),
            "state": "begun",
            "owner": intent.owner,
            "outcome": None,
            "begun_at": now.timestamp(),
            "changed_at": now.timestamp(),
        },
    )
    if entered == 1:
        return None
    found = find(connection, intent.credential, intent.key)
    assert found is not None  # entries are never removed
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
        .values(state="begun", owner=intent.owner, outcome=None, begun_at=now.timestamp(), changed_at=now.timestamp())
    )
    return taken.rowcount == 1


def finish(connection: Connection, intent: Intent, state: State, outcome: Any, now: datetime) -> None:
    """Enters what became of the intent."""
    _FINISH(
        connection,
        {
            "of_credential": intent.credential,
            "of_key": intent.key,
            "of_owner": intent.owner,
            "to_state": state,
            "with_outcome": json.encode_clean(outcome).decode(),
            "at": now.timestamp(),
        },
    )


def find(connection: Connection, credential: str, key: str) -> Entry | None:
    """The entry of a key."""
    row = connection.execute(
        select(journal).where(and_(journal.c.credential == credential, journal.c.key == key))
    ).one_or_none()
    return None if row is None else _entry(row)


def parked(connection: Connection, credential: str, dead_since: datetime) -> Sequence[Entry]:
    """What a person must settle: doubtful entries, and those whose process died before `dead_since`."""
    mine = and_(journal.c.credential == credential, _in_doubt(dead_since))
    return [_entry(row) for row in connection.execute(select(journal).where(mine).order_by(journal.c.id))]


def _in_doubt(dead_since: datetime) -> ColumnElement[bool]:
    abandoned = and_(journal.c.state == "begun", journal.c.changed_at < dead_since.timestamp())
    return or_(journal.c.state == "doubtful", abandoned)


def settle(
    connection: Connection, credential: str, key: str, happened: bool, note: str, now: datetime, dead_since: datetime
) -> bool:
    """A person says what became of a parked entry. If it did not happen, the key is free for a new attempt."""
    state = "settled" if happened else "refused"
    outcome = json.encode({"output": None, "settled_by_hand": True, "happened": happened, "note": note}).decode()
    changed = connection.execute(
        update(journal)
        .where(and_(journal.c.credential == credential, journal.c.key == key, _in_doubt(dead_since)))
        .values(state=state, outcome=outcome, changed_at=now.timestamp())
    )
    return changed.rowcount == 1


def forget(connection: Connection, before: datetime) -> int:
    """Removes entries without a caller's key that are done with since long. A key is remembered for ever."""
    nameless = and_(journal.c.key.startswith(GENERATED_KEY_PREFIX), journal.c.state.in_(("done", "refused", "settled")))
    return connection.execute(delete(journal).where(nameless, journal.c.changed_at < before.timestamp())).rowcount


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
        datetime.fromtimestamp(row.begun_at, UTC),
        datetime.fromtimestamp(row.changed_at, UTC),
    )
