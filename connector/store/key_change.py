"""What is remembered under a key's fingerprint moves along when the key is replaced: journal, budget, cursors.

Without it a new key would pay a payment again that the old one had paid, and start every trigger anew.
"""

from __future__ import annotations

from sqlalchemy import Connection, Table, and_, select, update

from connector.store.schema import balances, budgets, cursors, items, journal, subscriptions


def move_to(connection: Connection, old: str, new: str) -> None:
    """Moves everything from the old fingerprint to the new one. What the new one already has stays as it is."""
    if old == new:
        return
    keys = select(journal.c.key).where(journal.c.credential == new).scalar_subquery()
    connection.execute(
        update(journal).where(and_(journal.c.credential == old, journal.c.key.not_in(keys))).values(credential=new)
    )
    for table in (balances, budgets):
        if connection.execute(select(table.c.credential).where(table.c.credential == new)).first() is None:
            connection.execute(update(table).where(table.c.credential == old).values(credential=new))
    _rename(connection, old, new)


def _rename(connection: Connection, old: str, new: str) -> None:
    """A cursor's name begins with the fingerprint."""
    names = connection.execute(select(cursors.c.name).where(cursors.c.credential == old)).scalars().all()
    taken = set(connection.execute(select(cursors.c.name).where(cursors.c.credential == new)).scalars())
    moving = [name for name in names if f"{new}{name[len(old) :]}" not in taken]
    for name in moving:
        renamed = f"{new}{name[len(old) :]}"
        connection.execute(update(cursors).where(cursors.c.name == name).values(name=renamed, credential=new))
        for table in (items, subscriptions):
            _point(connection, table, name, renamed)


def _point(connection: Connection, table: Table, name: str, renamed: str) -> None:
    connection.execute(update(table).where(table.c.cursor_name == name).values(cursor_name=renamed))
