"""Create the table of rate windows."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Integer, String, Text

revision = "0004"
down_revision = "0002"
oldest_code = 2


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "rate_windows",
        Column("scope", String(40), primary_key=True),
        Column("version", Integer, nullable=False),
        Column("clock", String(64), nullable=False),
        Column("changed_at", Float(53), nullable=False),
        Column("wall_time", Float(53), nullable=False),
        Column("state", Text, nullable=False),
    )
