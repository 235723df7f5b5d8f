"""Let the former secret of a subscription stay valid while it is replaced."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Text

revision = "0011"
down_revision = "0010"
oldest_code = 7


def upgrade() -> None:
    """Add the columns."""
    op.add_column("subscriptions", Column("sealed_former_secret", Text))
    op.add_column("subscriptions", Column("former_secret_until", Float(53)))
