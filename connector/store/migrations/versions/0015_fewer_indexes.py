"""Keep fewer indexes of what every write changes: one of open runs, none of the age of the guards against repeats."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, String, text

revision = "0015"
down_revision = "0014"
oldest_code = 12

OPEN = text("state IN ('claimed', 'sending', 'unknown')")
COLUMNS = "workspace, digest, run, clock, seconds, made_at"


def upgrade() -> None:
    """Replace the indexes; in SQLite the guards become a table without row ids, which is its own index."""
    op.drop_index("runs_open", "runs")
    op.drop_index("runs_unresolved", "runs")
    op.create_index("runs_open", "runs", ["workspace", "digest"], sqlite_where=OPEN, postgresql_where=OPEN)
    op.drop_index("repeat_guard_by_age", "repeat_guard")
    if op.get_bind().dialect.name != "sqlite":
        return
    op.create_table(
        "repeat_guard_new",
        Column("workspace", String(64), primary_key=True),
        Column("digest", String(80), primary_key=True),
        Column("run", String(32), nullable=False),
        Column("clock", String(64), nullable=False),
        Column("seconds", Float(53), nullable=False),
        Column("made_at", Float(53), nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute(f"INSERT INTO repeat_guard_new ({COLUMNS}) SELECT {COLUMNS} FROM repeat_guard")  # noqa: S608
    op.drop_table("repeat_guard")
    op.rename_table("repeat_guard_new", "repeat_guard")
