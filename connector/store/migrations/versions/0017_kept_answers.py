"""Keep the last answers of reads, so that a page shows what is known without asking the service again."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, DateTime, Index, MetaData, String, Table, Text

revision = "0017"
down_revision = "0016"
oldest_code = 12

metadata = MetaData()

kept_answers = Table(
    "kept_answers",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("action", String(64), primary_key=True),
    Column("digest", String(80), primary_key=True),
    Column("credential_id", String(36), nullable=False),
    Column("body", Text, nullable=False),
    Column("kept_at", DateTime(timezone=True), nullable=False),
    Index("kept_answers_by_age", "kept_at"),
)


def upgrade() -> None:
    """Add the table."""
    metadata.create_all(op.get_bind())
