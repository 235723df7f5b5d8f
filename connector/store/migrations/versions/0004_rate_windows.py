"""Keep the rate windows of API keys in the store."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Integer, String, Text

revision = "0004"
down_revision = "0003"
oldest_code = 3


def upgrade() -> None:
    """Create the table; every process begins with an empty window."""
    op.create_table(
        "rate_windows",
        Column("scope", String(40), primary_key=True),
        Column("version", Integer, nullable=False),
        Column("clock", String(64), nullable=False),
        Column("changed_at", Float(53), nullable=False),
        Column("wall_time", Float(53), nullable=False),
        Column("state", Text, nullable=False),
    )
