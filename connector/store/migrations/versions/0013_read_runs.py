"""Keep reads as light runs."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, MetaData, String, Table, Text

revision = "0013"
down_revision = "0012"
oldest_code = 12

metadata = MetaData()

read_runs = Table(
    "read_runs",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("id", String(32), primary_key=True),
    Column("credential", String(16), nullable=False),
    Column("action", String(64), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("outcome", Text, nullable=False),
    Column("made_at", Float(53), nullable=False),
    Column("changed_at", Float(53), nullable=False),
    Column("actor", String(100)),
    Column("person", String(200)),
    Column("face", String(16)),
    Column("origin", String(100)),
)


def upgrade() -> None:
    """Add the table."""
    metadata.create_all(op.get_bind())
