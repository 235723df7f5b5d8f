"""Let subscriptions be paused, and keep what happened to them and to the service for people to read."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, DateTime, Float, Index, Integer, MetaData, String, Table, Text

revision = "0018"
down_revision = "0017"
oldest_code = 12

metadata = MetaData()

timeline = Table(
    "timeline",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("about", String(300), nullable=False),
    Column("at", Float(53), nullable=False),
    Column("what", String(40), nullable=False),
    Column("details", Text, nullable=False),
    Index("timeline_about", "about", "id"),
    Index("timeline_by_age", "at"),
)


def upgrade() -> None:
    """Add the column and the table."""
    op.add_column("subscriptions", Column("paused_at", DateTime(timezone=True)))
    metadata.create_all(op.get_bind())
