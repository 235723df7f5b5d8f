"""Keep people, their sign-ins, whose tokens and approvals are whose, and changes of policies that wait."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Float, Index, MetaData, String, Table, Text

revision = "0030"
down_revision = "0029"
oldest_code = 30
"""Older code compares people by how their names are spelled, and reads tokens without what is sealed of them now."""

metadata = MetaData()

people = Table(
    "people",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("name", String(200), nullable=False),
    Column("normal_form", String(400), nullable=False),
    Column("skeleton", String(400), nullable=False),
    Column("role", String(16), nullable=False),
    Column("made_at", Float(53), nullable=False),
    Column("invited_by", String(100)),
    Column("invitation", String(64)),
    Column("invited_until", Float(53)),
    Column("passphrase", Text),
    Column("accepted_at", Float(53)),
    Column("revoked_at", Float(53)),
    Index("people_by_skeleton", "workspace", "skeleton", unique=True),
    Index("people_by_invitation", "invitation", unique=True),
)

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("person_id", String(36), nullable=False),
    Column("began_at", Float(53), nullable=False),
    Column("used_at", Float(53)),
    Column("ends_at", Float(53), nullable=False),
    Column("ended_at", Float(53)),
    Index("sign_ins_of_person", "person_id"),
)

policy_changes = Table(
    "policy_changes",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("settings", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("asked_by", String(100)),
    Column("asked_person", String(200)),
    Column("asked_id", String(36), nullable=False, server_default=""),
    Column("asked_maker", String(200), nullable=False, server_default=""),
    Column("asked_at", Float(53), nullable=False),
    Column("expires_at", Float(53), nullable=False),
    Column("decided_person", String(200)),
    Column("decided_at", Float(53)),
    Index("policy_changes_by_state", "workspace", "state"),
)


def upgrade() -> None:
    """Add tables and columns. Whoever opens the database with its data key makes people of what tokens named."""
    metadata.create_all(op.get_bind())
    for table, name, length in (
        ("tokens", "person_id", 36),
        ("tokens", "made_by", 200),
        ("approvals", "asked_id", 36),
        ("approvals", "asked_maker", 200),
        ("approvals", "decided_id", 36),
    ):
        op.add_column(table, Column(name, String(length), nullable=False, server_default=""))
