"""Keep how bank connections and accounts stood when last shown, and which platforms have called."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, MetaData, String, Table, Text

revision = "0027"
down_revision = "0026"
oldest_code = 12

metadata = MetaData()

bank_states = Table(
    "bank_states",
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("id", String(120), primary_key=True),
    Column("shown", Text, nullable=False),
    Column("trouble", String(200), nullable=False),
    Column("since", Float(53)),
    Column("seen_at", Float(53), nullable=False),
)

platform_calls = Table(
    "platform_calls",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("label", String(100), primary_key=True),
    Column("first_at", Float(53), nullable=False),
    Column("last_at", Float(53), nullable=False),
)

FILL = (
    "INSERT INTO due_work (kind, key, at, told, owner, claims)"
    " SELECT DISTINCT 'bank_states', credentials.id, CURRENT_TIMESTAMP, 1, '', 0 FROM credentials"
    " JOIN seen_bank_connections ON seen_bank_connections.credential_id = credentials.id"
    " WHERE credentials.revoked_at IS NULL"
)
"""Bank connections that are known are asked for once a host of this version runs."""


def upgrade() -> None:
    """Add the tables, and plan to fill the first."""
    metadata.create_all(op.get_bind())
    op.execute(FILL)
