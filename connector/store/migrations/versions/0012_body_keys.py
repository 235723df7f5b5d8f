"""Keep the keys with which bodies at rest are encrypted."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Integer, MetaData, Table, Text

revision = "0012"
down_revision = "0011"
oldest_code = 12

metadata = MetaData()

body_keys = Table(
    "body_keys",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sealed_key", Text, nullable=False),
    Column("made_at", Float(53), nullable=False),
)


def upgrade() -> None:
    """Add the table. Rows from before stay as they are and are still read."""
    metadata.create_all(op.get_bind())
