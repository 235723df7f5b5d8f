"""Keep the policies of workspaces."""

from __future__ import annotations

revision = "0007"
down_revision = "0006"
oldest_code = 6


def upgrade() -> None:
    """Add nothing yet."""
