"""Keep who may have seen the invitation of a person."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, String

revision = "0032"
down_revision = "0031"
oldest_code = 32
"""Older code reads people without what is sealed of them now."""


def upgrade() -> None:
    """Add the column. Of whoever was invited before, nobody else counts as having seen it."""
    op.add_column("people", Column("inviters", String(200), nullable=False, server_default=""))
