"""Create the tables of triggers: credentials, cursors, items, subscriptions, deliveries, events and what they need."""

from __future__ import annotations

from sqlalchemy import Column, DateTime, Index, Integer, MetaData, String, Table, Text, UniqueConstraint

from connector.store.migrations.in_place import create_or_complete

revision = "0002"
down_revision = "0001"
oldest_code = 2

metadata = MetaData()

credentials = Table(
    "credentials",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("fingerprint", String(16), nullable=False),
    Column("base_url", String(500), nullable=False),
    Column("quelle", String(100), nullable=False),
    Column("wire", Text, nullable=False),
    Column("sealed_key", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("revoked_at", DateTime(timezone=True)),
    Index("credentials_by_fingerprint", "fingerprint"),
)

leases = Table(
    "leases",
    metadata,
    Column("name", String(300), primary_key=True),
    Column("owner", String(36), nullable=False),
    Column("fence", Integer, nullable=False),
    Column("until", DateTime(timezone=True), nullable=False),
)

cursors = Table(
    "cursors",
    metadata,
    Column("name", String(300), primary_key=True),
    Column("credential", String(16), nullable=False),
    Column("trigger", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("cursor", Text),
    Column("start", Text, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("next_at", DateTime(timezone=True)),
    Column("polled_at", DateTime(timezone=True)),
    Column("nudged_at", DateTime(timezone=True)),
    Column("sign", Text),
    Column("trouble", Text),
    Index("cursors_by_next", "next_at"),
)

items = Table(
    "items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("cursor_name", String(300), nullable=False),
    Column("item_id", String(200), nullable=False),
    Column("body", Text, nullable=False),
    Column("made_at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("cursor_name", "item_id"),
    Index("items_by_age", "made_at"),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("credential_id", String(36), nullable=False),
    Column("trigger", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("cursor_name", String(300)),
    Column("target_url", Text, nullable=False),
    Column("sealed_secret", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("why_ended", String(40)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("ended_at", DateTime(timezone=True)),
    Index("subscriptions_by_credential", "credential_id", "state"),
    Index("subscriptions_by_cursor", "cursor_name", "state"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("subscription_id", String(36), nullable=False),
    Column("item_id", String(200), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", DateTime(timezone=True)),
    Column("last_status", Integer),
    Column("last_error", Text),
    Column("made_at", DateTime(timezone=True), nullable=False),
    Column("done_at", DateTime(timezone=True)),
    UniqueConstraint("subscription_id", "item_id"),
    Index("deliveries_by_due", "state", "next_at"),
    Index("deliveries_in_order", "subscription_id", "state", "id"),
)

hooks = Table(
    "hooks",
    metadata,
    Column("token_digest", String(64), primary_key=True),
    Column("credential_id", String(36), nullable=False),
    Column("sealed_url", Text, nullable=False),
    Column("former_url", Text),
    Column("pass_on", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("checked_at", DateTime(timezone=True)),
    Column("heard_at", DateTime(timezone=True)),
    Column("trouble", Text),
    UniqueConstraint("credential_id"),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("credential_id", String(36), nullable=False),
    Column("event_id", String(64), nullable=False),
    Column("event", String(100), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("repeats", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", DateTime(timezone=True)),
    Column("arrived_at", DateTime(timezone=True), nullable=False),
    Column("decided_at", DateTime(timezone=True)),
    UniqueConstraint("credential_id", "event_id"),
    Index("events_by_state", "state", "next_at"),
)

payment_states = Table(
    "payment_states",
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("payment_id", String(120), primary_key=True),
    Column("status", String(64), nullable=False),
    Column("changed_at", DateTime(timezone=True), nullable=False),
)


def upgrade() -> None:
    """Create the tables, or complete those of a database from before Alembic."""
    # A cursor from before `start` existed had no other start than this.
    create_or_complete(cursors, {"start": "now"})
    for table in (credentials, leases, items, subscriptions, deliveries, hooks, events, payment_states):
        create_or_complete(table)
