"""Completes tables of databases from before Alembic, whose schema was changed without a new version number.

Only the revisions 0001 and 0002 need this: later ones know exactly what they find.
"""

from __future__ import annotations

from collections.abc import Mapping

from alembic import op
from sqlalchemy import Column, Table, inspect


def create_or_complete(table: Table, values: Mapping[str, str] | None = None) -> bool:
    """Create the table, or add the columns and indexes that it lacks; return whether it was created.

    `values` are the values of added columns in existing rows, for columns that may not be null.
    """
    connection = op.get_bind()
    if not inspect(connection).has_table(table.name):
        table.create(connection)
        return True
    present = {column["name"] for column in inspect(connection).get_columns(table.name)}
    missing = [column for column in table.columns if column.name not in present]
    for column in missing:
        op.add_column(table.name, Column(column.name, column.type))
    required = {column.name: (values or {})[column.name] for column in missing if not column.nullable}
    if required:
        connection.execute(table.update().values(required))
        _require(table, list(required))
    indexes = {index["name"] for index in inspect(connection).get_indexes(table.name)}
    for index in table.indexes:
        if index.name not in indexes:
            index.create(connection)
    return False


def rebuild(table: Table) -> None:
    """Copy the rows into a new table of this definition: SQLite cannot change the type of a column."""
    with op.batch_alter_table(table.name, copy_from=table, recreate="always"):
        pass


def _require(table: Table, names: list[str]) -> None:
    if op.get_bind().dialect.name == "sqlite":
        rebuild(table)
        return
    for name in names:
        op.alter_column(table.name, name, nullable=False)
