"""Reads as light runs: who read what, when, through which face and at which cost, without what was read.

They are written in batches, since nobody waits for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Row, and_, delete, select

from connector.core.callers import CallSource
from connector.core.values import json
from connector.core.writes import marks
from connector.store.database.statements import insert_into
from connector.store.runs.runs import Run, new_id
from connector.store.schema import read_runs
from connector.store.trust import workspaces
from connector.store.trust.sealing import Sealed, opened, seal_each

State = Literal["done", "refused"]
MAX_ORIGIN = 100


class NewRead(NamedTuple):
    """A read that has ended."""

    credential: str
    action: str
    source: CallSource
    inputs: dict[str, Any]
    began: datetime
    ended: datetime
    state: State
    outcome: dict[str, Any]


def rows_of(connection: Connection, reads: Sequence[tuple[str, NewRead]]) -> list[dict[str, Any]]:
    """Return the rows of reads, each with its workspace; their inputs are encrypted."""
    inputs = seal_each(connection, (json.encode_clean(one.inputs) for _, one in reads), without_key="{}")
    return [_row(workspace, one, sealed) for (workspace, one), sealed in zip(reads, inputs, strict=True)]


def insert(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Record reads that are not recorded yet."""
    if rows:  # a batch may be written again when nobody knows whether it was committed
        connection.execute(insert_into(read_runs, connection.dialect.name).on_conflict_do_nothing(), list(rows))


def listed(
    connection: Connection,
    workspace: str,
    *,
    state: str | None = None,
    action: str | None = None,
    after: str | None = None,
    limit: int = 1000,
) -> Sequence[Run]:
    """Return reads of the workspace, the oldest first."""
    wanted = [read_runs.c.workspace == workspace]
    given = ((read_runs.c.state, state), (read_runs.c.action, action))
    wanted += [column == value for column, value in given if value is not None]
    if after is not None:
        wanted.append(read_runs.c.id > after)
    rows = connection.execute(select(read_runs).where(and_(*wanted)).order_by(read_runs.c.id).limit(limit))
    return [read_row(connection, row) for row in rows]


def find(connection: Connection, workspace: str, run_id: str) -> Run | None:
    """Return the read with this id."""
    own = and_(read_runs.c.workspace == workspace, read_runs.c.id == run_id)
    row = connection.execute(select(read_runs).where(own)).one_or_none()
    return None if row is None else read_row(connection, row)


def delete_old(connection: Connection, now: datetime) -> int:
    """Delete reads that their workspaces keep no longer."""
    deleted = 0
    for workspace in list(connection.execute(select(read_runs.c.workspace).distinct()).scalars()):
        kept_since = now - timedelta(days=workspaces.find_policy(connection, workspace).keep_reads_days)
        # By the time in the id, which the primary key sorts.
        oldest = f"{int(kept_since.timestamp() * 1000):012x}"
        old = and_(read_runs.c.workspace == workspace, read_runs.c.id < oldest)
        deleted += connection.execute(delete(read_runs).where(old)).rowcount
    return deleted


def _row(workspace: str, one: NewRead, sealed: Sealed) -> dict[str, Any]:
    actor = one.source.actor
    return {
        "workspace": workspace,
        "id": new_id(one.began),
        "credential": one.credential,
        "action": one.action,
        "digest": marks.digest(one.action, one.inputs),
        "inputs": sealed,
        "state": one.state,
        "outcome": json.encode_clean(one.outcome).decode(),
        "made_at": one.began.timestamp(),
        "changed_at": one.ended.timestamp(),
        "actor": actor.name if actor else None,
        "person": actor.person or actor.name if actor else None,
        "face": one.source.face,
        "origin": one.source.origin[:MAX_ORIGIN] or None,
    }


def read_row(connection: Connection, row: Row[Any]) -> Run:
    """Return a row of the table, opened."""
    return Run(
        id=row.id,
        workspace=row.workspace,
        key=None,
        credential=row.credential,
        action=row.action,
        digest=row.digest,
        inputs=json.decode(opened(connection, row.inputs)),
        state=row.state,
        owner="",
        beat=0,
        outcome=json.decode(row.outcome),
        made_at=datetime.fromtimestamp(row.made_at, UTC),
        changed_at=datetime.fromtimestamp(row.changed_at, UTC),
        actor=row.actor,
        person=row.person,
        face=row.face,
        origin=row.origin,
        kind="read",
    )
