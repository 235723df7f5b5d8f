"""Judge leases by a counter, count nudges, keep timers, and make equal subscriptions and equal forms one."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, DateTime, Integer, String, delete, or_, text, update
from sqlalchemy.sql import column, table

revision = "0005"
down_revision = "0004"
oldest_code = 5

leases = table("leases", column("name"))
cursors = table("cursors", column("nudges"), column("nudged_at"), column("polled_at"))
ACTIVE = text("state = 'active'")


def upgrade() -> None:
    """Leases that are held stay so until their counter has been seen to stand still; fences keep growing."""
    with op.batch_alter_table("leases") as batch:
        batch.add_column(Column("beat", Integer, nullable=False, server_default="0"))
        batch.drop_column("until")
    # Once a timer each; and the probe of every host that ever ran.
    gone = or_(leases.c.name == "housekeeping", leases.c.name.like("reconcile:%"), leases.c.name.like("ready:%"))
    op.execute(delete(leases).where(gone))
    op.create_table(
        "timers",
        Column("name", String(100), primary_key=True),
        Column("at", DateTime(timezone=True), nullable=False),
    )
    op.add_column("cursors", Column("nudges", Integer, nullable=False, server_default="0"))
    op.add_column("cursors", Column("nudges_polled", Integer, nullable=False, server_default="0"))
    # A nudge that no poll has followed yet is kept.
    op.execute(update(cursors).where(cursors.c.nudged_at > cursors.c.polled_at).values(nudges=1))
    op.add_column("subscriptions", Column("digest", String(80)))
    op.create_index(
        "subscriptions_once",
        "subscriptions",
        ["credential_id", "digest"],
        unique=True,
        sqlite_where=ACTIVE,
        postgresql_where=ACTIVE,
    )
    op.create_table(
        "subscription_keys",
        Column("credential_id", String(36), primary_key=True),
        Column("key", String(200), primary_key=True),
        Column("digest", String(80), nullable=False),
        Column("subscription_id", String(36), nullable=False),
        Column("made_at", DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "form_keys",
        Column("credential_id", String(36), primary_key=True),
        Column("digest", String(80), primary_key=True),
        Column("key", String(200), nullable=False),
        Column("made_at", DateTime(timezone=True), nullable=False),
    )
