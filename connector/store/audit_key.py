"""The key that signs the audit log: random, kept in the database, encrypted with the data key.

So the entries stay valid when the data key is replaced, and whoever can change the database, but has not the data key,
cannot sign.
"""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, select, update

from connector.core.errors import InputError
from connector.store.key_check import remember_data_key
from connector.store.schema import kontor_database
from connector.store.vault import Vault

LOCATION, CACHED = "kontor_location", "kontor_audit_key"
"""Options of an engine: where its database is, and the key once it was read."""

MISSING = b""
"""Stands for the key where this process has not the data key."""


def signing_key(connection: Connection) -> bytes | None:
    """Return the key, creating it if there is none; None when this process has not the data key."""
    cached = cached_key(connection)
    if cached:
        return cached
    try:
        return _read_or_create(connection, connection.engine.get_execution_options().get(LOCATION))
    except InputError:
        return None


def key_to_sign(connection: Connection) -> bytes:
    """Return the key for a new entry, `MISSING` without the data key: that is asked for once, not with every entry."""
    cached = cached_key(connection)
    if cached is not None:
        return cached
    key = signing_key(connection)
    if key is None:
        connection.engine.update_execution_options(**{CACHED: MISSING})
    return key or MISSING


def cached_key(connection: Connection) -> bytes | None:
    """Return the key without reading anything; None when nobody has asked for it yet."""
    cached: bytes | None = connection.engine.get_execution_options().get(CACHED)
    return cached


def _read_or_create(connection: Connection, location: str | None) -> bytes:
    has_data_key = connection.execute(select(kontor_database.c.key_check)).scalar_one() is not None
    vault = Vault(location, may_create=not has_data_key)
    remember_data_key(connection, vault)
    stored = select(kontor_database.c.audit_key)
    sealed = connection.execute(stored).scalar_one()
    if sealed is None:
        unset = kontor_database.c.audit_key.is_(None)
        fresh = vault.seal(secrets.token_hex(32))
        connection.execute(update(kontor_database).where(unset).values(audit_key=fresh))
        # Not cached: the transaction may be undone, and another host may have been first.
        return bytes.fromhex(vault.open(connection.execute(stored).scalar_one()))
    key = bytes.fromhex(vault.open(sealed))
    with connection.engine.connect() as other:  # what is not committed may be undone
        if other.execute(stored).scalar_one() == sealed:
            connection.engine.update_execution_options(**{CACHED: key})
    return key
