"""Keep a register of what grants rights, which only the data key can sign."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer, MetaData, String, Table, Text

revision = "0029"
down_revision = "0028"
oldest_code = 29
"""Older code changes what grants rights without telling the register."""

metadata = MetaData()

rights_register = Table(
    "rights_register",
    metadata,
    Column("bucket", Integer, primary_key=True, autoincrement=False),
    Column("revision", Integer, nullable=False),
    Column("entries", Text, nullable=False),
    Column("mac", String(64), nullable=False),
)


def upgrade() -> None:
    """Add the table and the column; whoever first opens the database with its data key fills them."""
    metadata.create_all(op.get_bind())
    op.add_column("kontor_database", Column("register_key", Text))
