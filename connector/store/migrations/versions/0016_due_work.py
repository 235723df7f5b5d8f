"""Keep what is due by kind of work and key, so that hosts find it without looking at all keys."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, DateTime, Index, Integer, MetaData, String, Table, text

revision = "0016"
down_revision = "0015"
oldest_code = 12

metadata = MetaData()
HELD = text("owner <> ''")

due_work = Table(
    "due_work",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("key", String(100), primary_key=True),
    Column("at", DateTime(timezone=True)),
    Column("told", Integer, nullable=False),
    Column("owner", String(36), nullable=False),
    Column("claims", Integer, nullable=False),
    Index("due_work_by_time", "kind", "at"),
    Index("due_work_held", "at", sqlite_where=HELD, postgresql_where=HELD),
)

FILL = (
    "SELECT 'polls', credentials.id, MIN(cursors.next_at), 1, '', 0 FROM cursors"
    " JOIN credentials ON credentials.fingerprint = cursors.credential"
    " WHERE cursors.next_at IS NOT NULL GROUP BY credentials.id",
    "SELECT 'events', credential_id, MIN(next_at), 1, '', 0 FROM events WHERE state = 'new' GROUP BY credential_id",
    "SELECT 'deliveries', subscription_id, MIN(next_at), 1, '', 0 FROM deliveries WHERE state = 'waiting'"
    " GROUP BY subscription_id",
    "SELECT 'webhook_urls', credential_id, COALESCE(checked_at, CURRENT_TIMESTAMP), 1, '', 0 FROM hooks"
    " WHERE state <> 'released'",
    "SELECT 'reconciliations', credential_id, MAX(created_at), 1, '', 0 FROM subscriptions"
    " WHERE state = 'active' AND cursor_name IS NULL GROUP BY credential_id",
)
"""What is due in an older database; done too early, a piece finds out when it really is."""


def upgrade() -> None:
    """Add the table, filled, and the indexes by which one key's part of other tables is read."""
    metadata.create_all(op.get_bind())
    for query in FILL:
        op.execute(f"INSERT INTO due_work (kind, key, at, told, owner, claims) {query}")
    op.create_index("cursors_by_credential", "cursors", ["credential", "next_at"])
    op.create_index("cursors_by_trigger", "cursors", ["trigger", "next_at"])
    op.create_index("hooks_by_check", "hooks", ["state", "checked_at"])
    op.drop_index("events_by_state", "events")
    op.create_index("events_by_state", "events", ["state", "credential_id", "next_at"])
    op.drop_index("approvals_by_state", "approvals")
    op.create_index("approvals_by_state", "approvals", ["state", "expires_at"])
