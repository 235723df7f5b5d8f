"""Remember which items whoever polls by hand has received."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer

revision = "0014"
down_revision = "0013"
oldest_code = 12


def upgrade() -> None:
    """Add the column."""
    op.add_column("cursors", Column("taken_item", Integer))
