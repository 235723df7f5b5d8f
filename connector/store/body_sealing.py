"""Encrypts bodies at rest (runs, items, deliveries, events, target URLs) with AES-GCM.

The key is random and kept in the database, encrypted with the data key: so replacing the data key touches few rows, and
a body costs microseconds. Bodies from before are in clear, and are read as they are. A process that has not the data
key of the database, as a command line beside a host on PostgreSQL may be, reads from the service, but stores no body.
Only a PostgreSQL database that no host has used yet, to which no data key was ever given, holds them in clear.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable

from sqlalchemy import Connection, select

from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.audit_key import LOCATION
from connector.store.body_sealer import CACHED, BodySealer, InClear, NoSealer, Sealed, cached_sealer, is_sealed
from connector.store.insert_once import insert_if_absent
from connector.store.key_check import remember_data_key
from connector.store.schema import body_keys, kontor_database
from connector.store.vault import VARIABLE, Vault


def seal(connection: Connection, text: str) -> Sealed:
    """Encrypt a text before it is stored; raise when this process has not the data key."""
    return _sealer(connection).seal(text)


def seal_each(connection: Connection, texts: Iterable[str | bytes], without_key: str | None = None) -> list[Sealed]:
    """Encrypt many texts, already in UTF-8 or not.

    Where they may be left out, `without_key` stands for each if this process has not the data key.
    """
    sealer = _sealer(connection)
    if without_key is not None and isinstance(sealer, NoSealer):
        return [without_key for _ in texts]
    return sealer.seal_each(texts)


def opened(connection: Connection, stored: Sealed) -> str:
    """Return a stored text in clear; raise when this process has not the data key."""
    if not is_sealed(stored):
        return str(stored)
    for fresh in (False, True):  # another process may have added a key since
        text = _sealer(connection, fresh=fresh).open(stored)
        if text is not None:
            return text
    raise InputError(say("vault_wrong_key"), remedy=say("vault_wrong_key_remedy"), field=VARIABLE)


def add_key(connection: Connection, vault: Vault) -> None:
    """Add a key that encrypts from now on; those from before still decrypt."""
    newest = max(connection.execute(select(body_keys.c.number)).scalars(), default=0)
    row = {"number": newest + 1, "sealed_key": vault.seal(secrets.token_hex(32)), "made_at": time.time()}
    insert_if_absent(connection, body_keys, row)


def _sealer(connection: Connection, *, fresh: bool = False) -> BodySealer:
    cached = cached_sealer(connection)
    if cached is not None and not fresh:
        return cached
    try:
        return _read_or_create(connection, connection.engine.get_execution_options().get(LOCATION))
    except InputError as reason:
        if cached is None:
            cached = NoSealer(reason) if _has_data_key(connection) else InClear()
            connection.engine.update_execution_options(**{CACHED: cached})
        return cached


def _read_or_create(connection: Connection, location: str | None) -> BodySealer:
    vault = Vault(location, may_create=not _has_data_key(connection))
    # Only what is committed is kept in memory: a key that this transaction adds may be undone with it.
    with connection.engine.connect() as other:
        committed = _keys(other, vault)
    found = _keys(connection, vault)
    if not found:
        remember_data_key(connection, vault)
        add_key(connection, vault)
        found = _keys(connection, vault)
    sealer = BodySealer(found, as_bytes=connection.dialect.name == "sqlite")
    if found == committed:
        connection.engine.update_execution_options(**{CACHED: sealer})
    return sealer


def _has_data_key(connection: Connection) -> bool:
    return connection.execute(select(kontor_database.c.key_check)).scalar_one() is not None


def _keys(connection: Connection, vault: Vault) -> dict[int, bytes]:
    rows = connection.execute(select(body_keys.c.number, body_keys.c.sealed_key))
    return {row.number: bytes.fromhex(vault.open(row.sealed_key)) for row in rows}
