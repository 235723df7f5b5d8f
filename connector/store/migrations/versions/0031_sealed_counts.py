"""Keep former audit keys, seal what was paid on a day, and remember since when rows do not verify."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, Float, Integer, MetaData, String, Table, Text

revision = "0031"
down_revision = "0030"
oldest_code = 31
"""Older code counts payments and changes the targets of subscriptions without telling the register."""

metadata = MetaData()

audit_keys = Table(
    "audit_keys",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sealed_key", Text),
    Column("sealed_heads", Text),
)

payment_days = Table(
    "payment_days",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("payments", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
)

rights_noticed = Table(
    "rights_noticed",
    metadata,
    Column("subject", String(300), primary_key=True),
    Column("noticed_at", Float(53), nullable=False),
)


def upgrade() -> None:
    """Add the tables, and the column of what is counted from now on."""
    metadata.create_all(op.get_bind())
    op.add_column("payments_made", Column("made", Boolean))
