"""The tables, and the steps by which an older database becomes today's. Steps only go forward."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    Index,
    Integer,
    MetaData,
    Numeric,
    String,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    select,
)

metadata = MetaData()

schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

journal = Table(
    "journal",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("credential", String(16), nullable=False),  # a fingerprint, never the key
    Column("key", String(200), nullable=False),
    Column("action", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("owner", String(36), nullable=False),
    Column("outcome", Text),
    Column("begun_at", DateTime(timezone=True), nullable=False),
    Column("changed_at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("credential", "key"),
    Index("journal_by_state", "state", "credential"),
)

usage = Table(
    "usage",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("flow", String(100), primary_key=True),
    Column("label", String(64), primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("credits", Numeric(12, 2, asdecimal=True), nullable=False),
)

balances = Table(
    "balances",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("balance", Numeric(20, 2, asdecimal=True), nullable=False),
    Column("told_at", DateTime(timezone=True), nullable=False),
)

budgets = Table(
    "budgets",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("per_day", Integer),
    Column("per_flow", Integer),
    Column("hold_back", Integer, nullable=False),
)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[journal, usage, balances, budgets])


STEPS = (_first,)


def upgrade(connection: Connection) -> None:
    """Brings the database to today's form, each step in the transaction that also records it."""
    if not inspect(connection).has_table("schema_version"):
        schema_version.create(connection)
        connection.execute(schema_version.insert().values(version=0))
    done = connection.execute(select(schema_version.c.version)).scalar_one()
    if done > len(STEPS):
        raise RuntimeError(f"the database is of a later version of Kontor ({done} > {len(STEPS)})")
    for step in STEPS[done:]:
        step(connection)
    connection.execute(schema_version.update().values(version=len(STEPS)))
