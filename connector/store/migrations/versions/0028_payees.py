"""Keep who was paid at which IBAN under which name, and to whom what counts towards the limits of a day went."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, Float, Index, MetaData, String, Table, Text

revision = "0028"
down_revision = "0027"
oldest_code = 12

metadata = MetaData()

payees = Table(
    "payees",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("iban", String(64), primary_key=True),
    Column("body", Text, nullable=False),
    Column("paid_at", Float(53), nullable=False),
    Index("payees_by_iban", "workspace", "iban"),
)

payees_read = Table(
    "payees_read",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("credential", String(16), primary_key=True),
    Column("read_at", Float(53), nullable=False),
)


def upgrade() -> None:
    """Add the tables, and the columns of what is counted from now on."""
    metadata.create_all(op.get_bind())
    for column in (Column("payee", String(64)), Column("payee_name", String(64)), Column("approved", Boolean)):
        op.add_column("payments_made", column)
