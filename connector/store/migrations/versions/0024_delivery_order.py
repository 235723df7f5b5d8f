"""Keep which deliveries go out in order, and which queues rest because their target fails."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, DateTime, Integer, MetaData, String, Table

revision = "0024"
down_revision = "0023"
oldest_code = 12

metadata = MetaData()

delivery_queues = Table(
    "delivery_queues",
    metadata,
    Column("queue_id", String(36), primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("slow", Boolean, nullable=False),
    Column("rests_until", DateTime(timezone=True)),
)


def upgrade() -> None:
    """Add the table, the column and its index. What waits already goes out in order, as its sender expected."""
    metadata.create_all(op.get_bind())
    op.add_column("deliveries", Column("subject", String(200)))
    op.create_index("deliveries_of_subject", "deliveries", ["subscription_id", "subject", "state", "id"])
    op.execute("UPDATE deliveries SET subject = '' WHERE state = 'waiting'")
