"""Keep of each token whether an agent holds it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer

revision = "0022"
down_revision = "0021"
oldest_code = 12


def upgrade() -> None:
    """Add the column. Nobody had said of a token that an agent holds it."""
    op.add_column("tokens", Column("agent", Integer, nullable=False, server_default="0"))
