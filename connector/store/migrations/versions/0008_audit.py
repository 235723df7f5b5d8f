"""Keep an audit log, chained by workspace, and the key with which it is signed."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text, UniqueConstraint, text

revision = "0008"
down_revision = "0007"
oldest_code = 7

metadata = MetaData()
UNSEALED = text("number IS NULL")

audit = Table(
    "audit",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("at", Float(53), nullable=False),
    Column("actor", String(100), nullable=False),
    Column("person", String(200), nullable=False),
    Column("face", String(16), nullable=False),
    Column("origin", String(100), nullable=False),
    Column("what", String(64), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("details", Text, nullable=False),
    Column("mac", String(64), nullable=False),
    Column("number", Integer),
    Column("seal", String(64)),
    UniqueConstraint("workspace", "number"),
    Index("audit_unsealed", "workspace", "id", sqlite_where=UNSEALED, postgresql_where=UNSEALED),
)

audit_heads = Table(
    "audit_heads",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("seal", String(64), nullable=False),
)


def upgrade() -> None:
    """Add both tables and the column."""
    metadata.create_all(op.get_bind())
    op.add_column("kontor_database", Column("audit_key", Text))
