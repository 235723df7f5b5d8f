"""Keep where a workspace wants its alerts, and which of them are not over yet."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, MetaData, String, Table

revision = "0020"
down_revision = "0019"
oldest_code = 12

metadata = MetaData()

alert_targets = Table(
    "alert_targets",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("subscription_id", String(36), nullable=False),
)

alerts = Table(
    "alerts",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("kind", String(40), primary_key=True),
    Column("subject", String(200), primary_key=True),
    Column("began_at", Float(53), nullable=False),
)


def upgrade() -> None:
    """Add the tables."""
    metadata.create_all(op.get_bind())
