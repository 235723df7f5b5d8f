"""Remember which state of a bank connection flows were told, so that no event tells it again."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision = "0026"
down_revision = "0025"
oldest_code = 12


def upgrade() -> None:
    """Add the column. What was told before is not known: the next event of each kind tells the state once more."""
    op.add_column("seen_bank_connections", Column("told", Text, nullable=False, server_default="{}"))
