"""Replaces the data key: encrypts everything that it protects anew, in batches, while hosts go on working.

From the first step on the new key encrypts and both decrypt. Killed at any point, the next call goes on from there. The
keys that the data key protects are replaced as well, in one transaction: who knew the data key knew them. The audit log
and the register of rights are signed with new ones from then on, and bodies are encrypted with a new one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sqlalchemy import Column, Connection, Table, and_, select, text, update

from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.database.database import Database
from connector.store.schema import audit_keys as audit_key_table
from connector.store.schema import body_keys, credentials, hooks, kontor_database, subscriptions
from connector.store.trust import audit_chain, audit_keys, register_rows, sealing
from connector.store.trust.vault import REPLACED, VARIABLE, Vault, former_file, read_key_file, write_new_key

BATCH_SIZE = 200
PROTECTED: tuple[tuple[Table, str | None, str], ...] = (
    (kontor_database, None, "key_check"),
    (kontor_database, None, "audit_key"),
    (kontor_database, None, "register_key"),
    (audit_key_table, "number", "sealed_key"),
    (audit_key_table, "number", "sealed_heads"),
    (body_keys, "number", "sealed_key"),
    (credentials, "id", "sealed_key"),
    (subscriptions, "id", "sealed_secret"),
    (subscriptions, "id", "sealed_former_secret"),
    (hooks, "token_digest", "sealed_url"),
)
"""Everything that is encrypted with the data key: table, its key, column."""


def rotate(database: Database, vault: Vault) -> int:
    """Replace the data key, or finish replacing it; return how many values were encrypted anew."""
    begin(vault)
    renewed: int = database.write(lambda connection: replace_keys(connection, vault)).result()
    renewed += sum(_renew(database, vault))
    renewed += sum(_renew(database, vault))  # what a host encrypted with the former key just before it noticed
    finish(vault)
    return renewed


def begin(vault: Vault) -> None:
    """Make a new key the newest one, and keep the former beside it."""
    path = vault.key_file
    if path is None:
        if not vault.has_former_key:
            raise InputError(say("data_key_one"), remedy=say("data_key_one_remedy"), field=VARIABLE)
        return
    former = former_file(path)
    if former.exists() and read_key_file(former, may_create=False) != read_key_file(path, may_create=False):
        return  # begun before, and not finished
    former.unlink(missing_ok=True)
    os.link(path, former)
    write_new_key(path).replace(path)
    _sync(path.parent)  # nothing may be encrypted with a key that a power failure takes away


def replace_keys(connection: Connection, vault: Vault) -> int:
    """Replace the keys that the data key protects, unless an earlier call that was killed has; return how many."""
    check = connection.execute(select(kontor_database.c.key_check)).scalar_one()
    if check is None or vault.is_newest(check):
        return 0
    if connection.dialect.name == "postgresql":  # whoever writes an entry has ended, or signs it anew
        connection.execute(text("LOCK TABLE audit_heads, audit IN SHARE ROW EXCLUSIVE MODE"))
    while audit_chain.seal(connection):
        pass
    replaced = audit_keys.replace(connection, vault) + register_rows.replace_key(connection, vault)
    sealing.add_key(connection, vault)
    connection.execute(update(kontor_database).values(key_check=vault.seal(REPLACED)))
    return replaced + 1


def _sync(folder: Path) -> None:
    """Wait until the names of the files in a folder are on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def finish(vault: Vault) -> None:
    """Forget the former key; one in the environment is the operator's to remove."""
    if vault.key_file is not None:
        former_file(vault.key_file).unlink(missing_ok=True)


def _renew(database: Database, vault: Vault) -> Iterator[int]:
    """Encrypt anew, batch by batch, and yield how many values each had."""
    for table, key, column in PROTECTED:
        after: object = None
        while True:
            rows = database.read(partial(_batch, table=table, key=key, name=column, after=after))
            changed = [(id, old, new) for id, old in rows if old and (new := vault.renewed(old)) is not None]
            if changed:
                yield database.write(partial(_store, table=table, key=key, name=column, rows=changed)).result()
            if key is None or len(rows) < BATCH_SIZE:
                break
            after = rows[-1][0]


def _batch(connection: Connection, table: Table, key: str | None, name: str, after: object) -> list[tuple[object, str]]:
    if key is None:
        return [(None, value) for value in connection.execute(select(table.c[name])).scalars()]
    found = select(table.c[key], table.c[name]).order_by(table.c[key]).limit(BATCH_SIZE)
    if after is not None:
        found = found.where(table.c[key] > after)
    return [(row[0], row[1]) for row in connection.execute(found)]


def _store(
    connection: Connection, table: Table, key: str | None, name: str, rows: list[tuple[object, str, str]]
) -> int:
    column: Column[str] = table.c[name]
    total = 0
    for id, old, new in rows:
        unchanged = column == old if key is None else and_(table.c[key] == id, column == old)
        total += connection.execute(update(table).where(unchanged).values({name: new})).rowcount
    return total
