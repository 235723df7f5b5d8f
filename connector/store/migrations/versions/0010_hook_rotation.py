"""Let the former token of a webhook URL stay valid while it is replaced."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, String

revision = "0010"
down_revision = "0009"
oldest_code = 7


def upgrade() -> None:
    """Add the column."""
    op.add_column("hooks", Column("former_digest", String(64)))
