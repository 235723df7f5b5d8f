"""Keep which writes were held back because an equal one is of unknown outcome."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Index, MetaData, String, Table

revision = "0023"
down_revision = "0022"
oldest_code = 12

metadata = MetaData()

held_back = Table(
    "held_back",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("waits_for", String(32), nullable=False),
    Column("owner", String(60), nullable=False),
    Column("at", Float(53), nullable=False),
    Index("held_back_by_run", "workspace", "waits_for"),
)


def upgrade() -> None:
    """Add the table."""
    metadata.create_all(op.get_bind())
