"""Checks that the data key is the one with which this database's secrets were encrypted.

The first data key is remembered by a constant encrypted with it. With another key, nothing stored could be decrypted,
and whatever is stored anew would be lost to the hosts that have the right one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from sqlalchemy import Connection, select, update

from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.database import Database
from connector.store.errors import DataKeyWrong
from connector.store.schema import credentials, kontor_database
from connector.store.vault import VARIABLE, Vault

CONSTANT = "kontor"


def open_vault(database: Database, data_location: str, env: Mapping[str, str] = os.environ) -> Vault:
    """Return the vault with the database's data key; a key is created only for a database that has none."""
    has_key = database.read(_key_check) is not None
    try:
        vault = Vault(data_location, env, may_create=not has_key)
    except InputError as error:
        if has_key and error.reason == "vault_key_missing":
            raise _wrong_key() from None
        raise
    database.write(lambda connection: remember_data_key(connection, vault)).result()
    return vault


def remember_data_key(connection: Connection, vault: Vault) -> None:
    """Raise unless the vault has the database's data key; if the database has none yet, remember this one."""
    if _key_check(connection) is None:
        _check_credentials(connection, vault)
        unset = kontor_database.c.key_check.is_(None)
        connection.execute(update(kontor_database).where(unset).values(key_check=vault.seal(CONSTANT)))
    check_data_key(connection, vault)


def check_data_key(connection: Connection, vault: Vault) -> None:
    """Raise when the database has another data key."""
    sealed = _key_check(connection)
    if sealed is not None and not _opens(vault, sealed):
        raise _wrong_key()


def _key_check(connection: Connection) -> str | None:
    sealed: str | None = connection.execute(select(kontor_database.c.key_check)).scalar_one()
    return sealed


def _check_credentials(connection: Connection, vault: Vault) -> None:
    """Check the key by the credentials of a database that is older than the remembered key."""
    kept = select(credentials.c.sealed_key).where(credentials.c.revoked_at.is_(None))
    sealed = connection.execute(kept).scalars().all()
    if sealed and not any(_opens(vault, one) for one in sealed):
        raise _wrong_key()


def _opens(vault: Vault, sealed: str) -> bool:
    try:
        vault.open(sealed)
    except InputError:
        return False
    return True


def _wrong_key() -> DataKeyWrong:
    return DataKeyWrong(say("store_wrong_key"), remedy=say("store_wrong_key_remedy"), field=VARIABLE)
