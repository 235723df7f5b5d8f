"""Keep what a trigger that is being tried has sent to the built-in inbox."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text

revision = "0019"
down_revision = "0018"
oldest_code = 12

metadata = MetaData()

trial_inbox = Table(
    "trial_inbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("subscription_id", String(36), nullable=False),
    Column("trigger", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("arrived_at", Float(53), nullable=False),
    Index("trial_inbox_of_workspace", "workspace", "id"),
)


def upgrade() -> None:
    """Add the table."""
    metadata.create_all(op.get_bind())
