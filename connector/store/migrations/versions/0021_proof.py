"""Count how often a run was sent, keep how far the payments list was read, and keep alarms about writes."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text, text

revision = "0021"
down_revision = "0020"
oldest_code = 12

metadata = MetaData()
LOOKED_FOR = text("find_until IS NOT NULL")

payments_read = Table(
    "payments_read",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("read_until", Float(53)),
    Column("after_id", String(64)),
    Column("back_from", String(10)),
    Column("back_cursor", String(64)),
)

payment_marks = Table(
    "payment_marks",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("payment_id", String(64), primary_key=True),
    Column("mark", String(200), nullable=False),
    Column("digest", String(80), nullable=False),
    Index("payment_marks_by_mark", "credential", "mark"),
)

write_alarms = Table(
    "write_alarms",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("kind", String(40), primary_key=True),
    Column("subject", String(200), primary_key=True),
    Column("details", Text, nullable=False),
    Column("raised_at", Float(53), nullable=False),
)


def upgrade() -> None:
    """Add columns and tables. What was sent before counts as sent once."""
    op.add_column("runs", Column("sendings", Integer, nullable=False, server_default="1"))
    op.add_column("runs", Column("find_until", Float(53)))
    op.create_index(
        "runs_looked_for", "runs", ["workspace", "find_until"], sqlite_where=LOOKED_FOR, postgresql_where=LOOKED_FOR
    )
    metadata.create_all(op.get_bind())
