"""Finds runs for people, and tells what happened to one.

Finds runs for people: the newest first, by what they are about; and what equals a write that is about to be made.

What the audit log tells of one run, in the order in which it happened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Select, and_, select

from connector.store.runs import reads, runs
from connector.store.runs.runs import KINDS, Kind, Run
from connector.store.schema import audit
from connector.store.schema import read_runs as read_table
from connector.store.schema import runs as write_table

BATCH = 200
MAX_READ = 20_000
"""How many runs a search by text opens at most: what they hold is encrypted, so the database cannot search it."""
NOT_MADE = ("refused", "rejected", "expired")
Matches = Callable[[Run], bool]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs are meant; None: any."""

    state: str | None = None
    action: str | None = None
    kind: Kind | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: str | None = None
    """Only those older than the run with this id: where the next page begins."""


def newest(
    connection: Connection, workspace: str, wanted: Wanted, limit: int, matches: Matches | None = None
) -> list[Run]:
    """Return runs of the workspace, the newest first; `matches` decides about each, read and opened."""
    tables = [(write_table, runs.read_row), (read_table, reads.read_row)]
    kinds = [pair for kind, pair in zip(KINDS, tables, strict=True) if wanted.kind in {None, kind}]
    found = _merged([_rows(connection, table, read, workspace, wanted) for table, read in kinds])
    return list(islice(filter(matches, islice(found, MAX_READ)), limit))


def recent_equal(connection: Connection, workspace: str, digest: str, since: datetime) -> Run | None:
    """Return the newest write with this digest that was made since then and may have happened."""
    mine = (write_table.c.workspace == workspace, write_table.c.digest == digest, write_table.c.id >= _first_id(since))
    query = select(write_table).where(*mine, write_table.c.state.not_in(NOT_MADE)).order_by(write_table.c.id.desc())
    found = (runs.read_row(connection, row) for row in connection.execute(query.limit(10)))
    return next((run for run in found if not _settled_as_not_made(run)), None)


def unresolved_equal(connection: Connection, workspace: str, digest: str) -> Run | None:
    """Return a write with this digest of which nobody knows whether it happened."""
    mine = (write_table.c.workspace == workspace, write_table.c.digest == digest, write_table.c.state == "unknown")
    row = connection.execute(select(write_table).where(*mine).limit(1)).one_or_none()
    return None if row is None else runs.read_row(connection, row)


def _settled_as_not_made(run: Run) -> bool:
    return run.state == "settled" and isinstance(run.outcome, dict) and run.outcome.get("happened") is False


def _rows(
    connection: Connection, table: Any, read: Callable[[Connection, Any], Run], workspace: str, wanted: Wanted
) -> Iterator[Run]:
    before = wanted.before
    while True:
        rows = connection.execute(_page(table, workspace, wanted, before)).all()
        for row in rows:
            yield read(connection, row)
        if len(rows) < BATCH:
            return
        before = rows[-1].id


def _page(table: Any, workspace: str, wanted: Wanted, before: str | None) -> Select[Any]:
    given = [table.c.workspace == workspace]
    given += [
        column == value
        for column, value in ((table.c.state, wanted.state), (table.c.action, wanted.action))
        if value is not None
    ]
    if wanted.since is not None:
        given.append(table.c.id >= _first_id(wanted.since))
    if wanted.until is not None:
        given.append(table.c.id < _first_id(wanted.until))
    if before is not None:
        given.append(table.c.id < before)
    return select(table).where(and_(*given)).order_by(table.c.id.desc()).limit(BATCH)


def _merged(lists: Sequence[Iterable[Run]]) -> Iterator[Run]:
    """Merge lists that are each sorted by id, the highest first."""
    from heapq import merge

    return merge(*lists, key=lambda run: run.id, reverse=True)


def _first_id(at: datetime) -> str:
    return f"{int(at.timestamp() * 1000):012x}"


SPARE = timedelta(minutes=1)
"""By how much the clocks of hosts may differ."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One entry: who did what to the run, and when."""

    at: datetime
    what: str
    """`run.sent`, `run.approved` and so on."""
    actor: str
    person: str
    face: str
    details: dict[str, Any]


def history_of(connection: Connection, run: Run) -> list[Happening]:
    """Return the entries about a run, whether sealed yet or not, the oldest first."""
    # By the time in the id, which the primary key sorts: no other index leads to a subject.
    first, last = _moment(run.made_at - SPARE), _moment(run.changed_at + SPARE)
    mine = and_(audit.c.id >= first, audit.c.id <= last, audit.c.subject == run.id, audit.c.workspace == run.workspace)
    rows = connection.execute(select(audit).where(mine).order_by(audit.c.at, audit.c.id))
    return [
        Happening(
            datetime.fromtimestamp(row.at, UTC), row.what, row.actor, row.person, row.face, json.loads(row.details)
        )
        for row in rows
    ]


def _moment(at: datetime) -> str:
    return f"{int(at.timestamp() * 1000):012x}"
