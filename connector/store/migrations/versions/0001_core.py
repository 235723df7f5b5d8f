"""Create the journal, usage, balances and budgets, and the tables about the database itself."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    Column,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    Numeric,
    String,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    text,
)

from connector.store.migrations.in_place import create_or_complete, rebuild

revision = "0001"
down_revision = None
oldest_code = 1

metadata = MetaData()

kontor_database = Table(
    "kontor_database",
    metadata,
    Column("oldest_code", Integer, nullable=False),
    Column("key_check", Text),
)

schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

journal = Table(
    "journal",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("credential", String(16), nullable=False),
    Column("key", String(200), nullable=False),
    Column("action", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("owner", String(60), nullable=False),
    Column("outcome", Text),
    Column("begun_at", Float(53), nullable=False),
    Column("changed_at", Float(53), nullable=False),
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
    Column("credits", Numeric(12, 2), nullable=False),
)

balances = Table(
    "balances",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("balance", Numeric(20, 2), nullable=False),
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


def upgrade() -> None:
    """Create the tables, or complete those of a database from before Alembic."""
    kontor_database.create(op.get_bind())
    op.execute(kontor_database.insert().values(oldest_code=oldest_code))
    if create_or_complete(schema_version):
        op.execute(schema_version.insert().values(version=oldest_code))
    if not create_or_complete(journal):
        _store_times_of_the_journal_as_numbers()
    for table in (usage, balances, budgets):
        create_or_complete(table)


def _store_times_of_the_journal_as_numbers() -> None:
    """The first journals held date-times, and shorter owners; the times of later ones are Unix time."""
    types = {column["name"]: column["type"] for column in inspect(op.get_bind()).get_columns("journal")}
    if not isinstance(types["begun_at"], DateTime):
        return
    if op.get_bind().dialect.name == "sqlite":
        for name in ("begun_at", "changed_at"):
            # Unix seconds from 'YYYY-MM-DD HH:MM:SS', and the fraction after it. Later code may have added numbers.
            number = f"CAST(strftime('%s', substr({name}, 1, 19)) AS REAL) + CAST('0' || substr({name}, 20) AS REAL)"
            op.execute(text(f"UPDATE journal SET {name} = {number} WHERE typeof({name}) = 'text'"))  # noqa: S608
        rebuild(journal)
        return
    op.alter_column("journal", "owner", type_=String(60))
    for name in ("begun_at", "changed_at"):
        op.alter_column("journal", name, type_=Float(53), postgresql_using=f"extract(epoch FROM {name})")
