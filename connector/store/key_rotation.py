"""Attaches the new API key to the workspace of the old one, and moves balance, budget and cursors to it.

Otherwise a repeated run would pay again under the new key, and every trigger would start anew.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Table, select, update

from connector.store import workspaces
from connector.store.schema import balances, budgets, cursors, items, subscriptions


def move_fingerprint(connection: Connection, old: str, new: str, now: datetime) -> None:
    """Move all rows from the old fingerprint to the new one, except where the new one already has its own."""
    if old == new:
        return
    workspace = workspaces.of_key(connection, old)
    if workspace is not None:
        workspaces.attach(connection, new, workspace, now)
    for table in (balances, budgets):
        if connection.execute(select(table.c.credential).where(table.c.credential == new)).first() is None:
            connection.execute(update(table).where(table.c.credential == old).values(credential=new))
    _rename_cursors(connection, old, new)


def _rename_cursors(connection: Connection, old: str, new: str) -> None:
    """Rename the cursors, whose names begin with the fingerprint."""
    names = connection.execute(select(cursors.c.name).where(cursors.c.credential == old)).scalars().all()
    taken = set(connection.execute(select(cursors.c.name).where(cursors.c.credential == new)).scalars())
    moving = [name for name in names if f"{new}{name[len(old) :]}" not in taken]
    for name in moving:
        renamed = f"{new}{name[len(old) :]}"
        connection.execute(update(cursors).where(cursors.c.name == name).values(name=renamed, credential=new))
        for table in (items, subscriptions):
            _rename_in(connection, table, name, renamed)


def _rename_in(connection: Connection, table: Table, name: str, renamed: str) -> None:
    connection.execute(update(table).where(table.c.cursor_name == name).values(cursor_name=renamed))
