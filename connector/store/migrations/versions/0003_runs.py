"""Turn the journal into runs, which belong to workspaces."""

from __future__ import annotations

import secrets
from typing import Any

from alembic import op
from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    select,
    text,
    union,
)

revision = "0003"
down_revision = "0002"
oldest_code = 3

metadata = MetaData()
OPEN, UNRESOLVED = text("state IN ('claimed', 'sending', 'unknown')"), text("state IN ('sending', 'unknown')")

workspaces = Table(
    "workspaces",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("made_at", Float(53), nullable=False),
)

workspace_keys = Table(
    "workspace_keys",
    metadata,
    Column("fingerprint", String(16), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("added_at", Float(53), nullable=False),
    Index("workspace_keys_by_workspace", "workspace"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("key", String(200)),
    Column("credential", String(16), nullable=False),
    Column("action", String(64), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("owner", String(60), nullable=False),
    Column("beat", Integer, nullable=False),
    Column("outcome", Text),
    Column("made_at", Float(53), nullable=False),
    Column("changed_at", Float(53), nullable=False),
    UniqueConstraint("workspace", "key"),
    Index("runs_open", "state", "workspace", sqlite_where=OPEN, postgresql_where=OPEN),
    Index("runs_unresolved", "workspace", "digest", sqlite_where=UNRESOLVED, postgresql_where=UNRESOLVED),
)

repeat_guard = Table(
    "repeat_guard",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("digest", String(80), primary_key=True),
    Column("run", String(32), nullable=False),
    Column("clock", String(64), nullable=False),
    Column("seconds", Float(53), nullable=False),
    Column("made_at", Float(53), nullable=False),
    Index("repeat_guard_by_age", "made_at"),
)

former = MetaData()
journal = Table(
    "journal",
    former,
    Column("id", Integer, primary_key=True),
    Column("credential", String(16)),
    Column("key", String(200)),
    Column("action", String(64)),
    Column("digest", String(64)),
    Column("inputs", Text),
    Column("state", String(16)),
    Column("owner", String(60)),
    Column("outcome", Text),
    Column("begun_at", Float(53)),
    Column("changed_at", Float(53)),
)
credentials = Table("credentials", former, Column("fingerprint", String(16)))

STATES = {"begun": "sending", "doubtful": "unknown"}
"""What was begun may have been sent, so nobody may send it again."""
GENERATED_KEY_PREFIX = "~"
BATCH_SIZE = 500


def upgrade() -> None:
    """Create the tables, give every known API key a workspace, and move the journal into runs."""
    connection = op.get_bind()
    metadata.create_all(connection)
    workspace_of = _workspaces(connection)
    rows = connection.execute(select(journal).order_by(journal.c.id)).all()
    moved = [_run(row, workspace_of[row.credential]) for row in rows]
    for at in range(0, len(moved), BATCH_SIZE):
        connection.execute(runs.insert(), moved[at : at + BATCH_SIZE])
    op.drop_table("journal")


def _workspaces(connection: Connection) -> dict[str, str]:
    """Return the workspace of each known API key: `default` if there is only one, else one for each."""
    known = union(select(journal.c.credential), select(credentials.c.fingerprint))
    fingerprints = sorted(connection.execute(known).scalars())
    names = {one: "default" if len(fingerprints) == 1 else f"key-{one}" for one in fingerprints}
    for fingerprint, name in names.items():
        connection.execute(workspaces.insert().values(name=name, made_at=0.0))
        connection.execute(workspace_keys.insert().values(fingerprint=fingerprint, workspace=name, added_at=0.0))
    return names


def _run(row: Any, workspace: str) -> dict[str, Any]:
    return {
        "id": f"{int(row.begun_at * 1000):012x}{secrets.token_hex(10)}",
        "workspace": workspace,
        "key": None if row.key.startswith(GENERATED_KEY_PREFIX) else row.key,
        "credential": row.credential,
        "action": row.action,
        "digest": row.digest,
        "inputs": row.inputs,
        "state": STATES.get(row.state, row.state),
        "owner": row.owner,
        "beat": 0,
        "outcome": row.outcome,
        "made_at": row.begun_at,
        "changed_at": row.changed_at,
    }
