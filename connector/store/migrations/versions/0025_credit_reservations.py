"""Keep the credits that are reserved for payments until they settle or fail."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Index, MetaData, Numeric, String, Table

revision = "0025"
down_revision = "0024"
oldest_code = 12

metadata = MetaData()

credit_reservations = Table(
    "credit_reservations",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("payment_id", String(100), primary_key=True),
    Column("day", String(10), nullable=False),
    Column("flow", String(100), nullable=False),
    Column("label", String(64), nullable=False),
    Column("credits", Numeric(12, 2, asdecimal=True), nullable=False),
    Column("state", String(10), nullable=False),
    Index("credit_reservations_by_day", "credential", "day"),
    Index("credit_reservations_by_state", "credential", "state"),
)


def upgrade() -> None:
    """Add the table. What earlier versions have counted as spent stays so."""
    metadata.create_all(op.get_bind())
