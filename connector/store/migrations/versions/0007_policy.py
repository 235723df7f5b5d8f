"""Keep policies, approvals and what was paid on a day, and let a run say who ran it from where."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Float, Index, MetaData, String, Table, Text

revision = "0007"
down_revision = "0006"
oldest_code = 7

metadata = MetaData()

policies = Table(
    "policies",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("settings", Text, nullable=False),
    Column("changed_at", Float(53), nullable=False),
)

approvals = Table(
    "approvals",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("state", String(16), nullable=False),
    Column("reasons", String(60), nullable=False),
    Column("asked_by", String(100)),
    Column("asked_person", String(200)),
    Column("asked_at", Float(53), nullable=False),
    Column("expires_at", Float(53), nullable=False),
    Column("decided_by", String(100)),
    Column("decided_person", String(200)),
    Column("decided_at", Float(53)),
    Column("why", Text),
    Column("callback", String(36)),
    Column("told", String(20), nullable=False),
    Index("approvals_by_state", "state"),
    Index("approvals_of_workspace", "workspace", "state"),
    Index("approvals_by_told", "told"),
)

payments_made = Table(
    "payments_made",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("day", String(10), nullable=False),
    Column("cents", BigInteger, nullable=False),
    Index("payments_made_by_day", "workspace", "day"),
)

RUN_COLUMNS = {"actor": 100, "person": 200, "face": 16, "origin": 100}


def upgrade() -> None:
    """Add the tables and the columns."""
    metadata.create_all(op.get_bind())
    for name, length in RUN_COLUMNS.items():
        op.add_column("runs", Column(name, String(length)))
