"""Remember which bank connections the service has shown."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, MetaData, String, Table, Text

revision = "0009"
down_revision = "0008"
oldest_code = 7

metadata = MetaData()

seen_bank_connections = Table(
    "seen_bank_connections",
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("connection_id", String(120), primary_key=True),
    Column("description", Text, nullable=False),
    Column("digest", String(80), nullable=False),
    Column("seen_at", Float(53), nullable=False),
)


def upgrade() -> None:
    """Add the table."""
    metadata.create_all(op.get_bind())
