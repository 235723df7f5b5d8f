"""The journal: every write is recorded before it is sent, so that it is never sent twice.

| state | meaning | when the same key is used again |
|---|---|---|
| begun | being sent, or its process died | wait for it; when its process must have died, treat it as doubtful |
| done | the service confirmed it | return the first result, send nothing |
| refused | the service certainly did not act | try again |
| doubtful | it is unknown whether the service acted | look it up where possible, else park it for a person |
| settled | a person has decided the outcome | return that decision |
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
from connector.store.compiled_statement import CompiledStatement
from connector.store.schema import journal

State = Literal["begun", "done", "refused", "doubtful", "settled"]


@dataclass(frozen=True, slots=True)
class Intent:
    """A write that is about to be sent."""

    credential: str
    key: str
    action: str
    digest: str
    inputs: bytes
    owner: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the journal."""

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
_INSERT = CompiledStatement(
    sqlite=sqlite.insert(journal).values(_ROW).on_conflict_do_nothing(),
    postgresql=postgresql.insert(journal).values(_ROW).on_conflict_do_nothing(),
)
_FINISH = CompiledStatement(
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
    """Record the intent and return None if it may be sent; otherwise return the earlier entry of its key."""
    entered = _INSERT(
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
    """Claim an entry in order to send it again; False when another process did so first."""
    unchanged = and_(journal.c.id == entry.id, journal.c.owner == entry.owner, journal.c.state == entry.state)
    taken = connection.execute(
        update(journal)
        .where(unchanged)
        .values(state="begun", owner=intent.owner, outcome=None, begun_at=now.timestamp(), changed_at=now.timestamp())
    )
    return taken.rowcount == 1


def finish(connection: Connection, intent: Intent, state: State, outcome: Any, now: datetime) -> None:
    """Record the outcome of the intent."""
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
    """Return the entry of a key."""
    row = connection.execute(
        select(journal).where(and_(journal.c.credential == credential, journal.c.key == key))
    ).one_or_none()
    return None if row is None else _entry(row)


def parked(connection: Connection, credential: str, dead_since: datetime) -> Sequence[Entry]:
    """Return what a person must settle: doubtful entries, and those begun by a process dead since `dead_since`."""
    mine = and_(journal.c.credential == credential, _unresolved(dead_since))
    return [_entry(row) for row in connection.execute(select(journal).where(mine).order_by(journal.c.id))]


def _unresolved(dead_since: datetime) -> ColumnElement[bool]:
    abandoned = and_(journal.c.state == "begun", journal.c.changed_at < dead_since.timestamp())
    return or_(journal.c.state == "doubtful", abandoned)


def settle(
    connection: Connection, credential: str, key: str, happened: bool, note: str, now: datetime, dead_since: datetime
) -> bool:
    """Record a person's decision about a parked entry. If it did not happen, the key may be used again."""
    state = "settled" if happened else "refused"
    outcome = json.encode({"output": None, "settled_by_hand": True, "happened": happened, "note": note}).decode()
    changed = connection.execute(
        update(journal)
        .where(and_(journal.c.credential == credential, journal.c.key == key, _unresolved(dead_since)))
        .values(state=state, outcome=outcome, changed_at=now.timestamp())
    )
    return changed.rowcount == 1


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete finished entries with a generated key older than `before`; those with a caller's key stay for ever."""
    generated = and_(
        journal.c.key.startswith(GENERATED_KEY_PREFIX), journal.c.state.in_(("done", "refused", "settled"))
    )
    return connection.execute(delete(journal).where(generated, journal.c.changed_at < before.timestamp())).rowcount


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
