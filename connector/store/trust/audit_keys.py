"""The keys of the audit log: the newest signs, those before it only verify what they have signed.

A key is random and kept in the database, encrypted with the data key: whoever can change the database, but has not the
data key, cannot sign. Replacing the data key makes a new one, since who knew the data key knew the former. Together
with a new key is kept, encrypted, how each chain ended then (`began`): what lies before cannot be rewritten with the
former key, and what comes after must be signed with the new one.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from connector.core.errors import InputError
from connector.store.database.statements import insert_if_absent
from connector.store.schema import audit_heads, audit_keys, kontor_database
from connector.store.trust.vault import Vault, content_of, named_key, open_key, remember_data_key

LOCATION = "kontor_location"
"""An option of an engine: where its database is."""
CACHED, CACHED_ROW, CACHED_NUMBER = "kontor_audit_key", "kontor_audit_key_row", "kontor_audit_key_number"
"""Options of an engine: the newest key once it was read, as which encrypted text it is stored, and its number."""
MISSING = b""
"""Stands for the key where this process has not the data key."""
PURPOSE, FORMER_PURPOSE, HEADS_PURPOSE = "audit", "former audit", "audit heads"
Heads = Mapping[str, tuple[int, str]]
"""By workspace the number and the seal of the newest entry."""
_STORED = select(kontor_database.c.audit_key)


@dataclass(frozen=True, slots=True)
class AuditKey:
    """A key, and from where on it signs."""

    number: int
    key: bytes
    sealed: str = ""
    """As it is stored; empty for a former one."""
    began: Heads | None = None
    """How the chains ended before it; None where that is not known."""


def key_to_sign(connection: Connection, *, fresh: bool = False) -> AuditKey | None:
    """Return the newest key, creating it if there is none; None when this process has not the data key.

    The data key is asked for once, not with every entry; `fresh`: what is in memory is out of date.
    """
    options = connection.engine.get_execution_options()
    cached: bytes | None = options.get(CACHED)
    if cached == MISSING and not fresh:
        return None
    if cached and not fresh:
        return AuditKey(options[CACHED_NUMBER], cached, options[CACHED_ROW])
    try:
        return _read_or_create(connection, options.get(LOCATION))
    except InputError:
        if not cached:
            connection.engine.update_execution_options(**{CACHED: MISSING})
        return None


def newest(connection: Connection) -> AuditKey | None:
    """Return the newest key as it is stored now; None when this process has not the data key."""
    options = connection.engine.get_execution_options()
    if options.get(CACHED) and options[CACHED_ROW] == connection.execute(_STORED).scalar_one():
        return AuditKey(options[CACHED_NUMBER], options[CACHED], options[CACHED_ROW])
    try:
        return _read_or_create(connection, options.get(LOCATION))
    except InputError:
        return None


def all_keys(connection: Connection) -> list[AuditKey]:
    """Return all keys in their order, those that cannot be read empty; nothing when the newest cannot be."""
    key = newest(connection)
    if key is None:
        return []
    rows = {row.number: row for row in connection.execute(select(audit_keys))}
    if key.number == 1 and not rows:
        return [AuditKey(1, key.key, key.sealed, {})]
    vault = Vault(connection.engine.get_execution_options().get(LOCATION), may_create=False)
    keys = list[AuditKey]()
    for number in range(1, key.number + 1):
        row = rows.get(number)
        former = None if row is None else _open_content(vault, row.sealed_key, FORMER_PURPOSE, number)
        secret = key.key if number == key.number else bytes.fromhex(former or "")
        heads = None if row is None else _open_content(vault, row.sealed_heads, HEADS_PURPOSE, number)
        began: Heads | None = {} if number == 1 else None
        if heads is not None:
            began = {workspace: (place, seal) for workspace, (place, seal) in json.loads(heads).items()}
        keys.append(AuditKey(number, secret, "", began))
    return keys


def replace(connection: Connection, vault: Vault) -> bool:
    """Make a new key that signs from now on; all that was committed is chained already. False when there is none."""
    check, sealed = connection.execute(select(kontor_database.c.key_check, kontor_database.c.audit_key)).one()
    if sealed is None:
        return False  # it is made with the first entry
    number, key = open_key(vault, sealed, check, PURPOSE)
    heads = {row.workspace: (row.number, row.seal) for row in connection.execute(select(audit_heads))}
    former = vault.seal(named_key(FORMER_PURPOSE, number, key.hex()))
    began = vault.seal(named_key(HEADS_PURPOSE, number + 1, json.dumps(heads)))
    insert_if_absent(connection, audit_keys, {"number": number, "sealed_key": None, "sealed_heads": None})
    connection.execute(update(audit_keys).where(audit_keys.c.number == number).values(sealed_key=former))
    connection.execute(insert(audit_keys).values(number=number + 1, sealed_heads=began))
    renewed = vault.seal(named_key(PURPOSE, number + 1, secrets.token_hex(32)))
    connection.execute(update(kontor_database).values(audit_key=renewed))
    return True


def _open_content(vault: Vault, sealed: str | None, purpose: str, number: int) -> str | None:
    try:
        found = content_of(vault.open(sealed), purpose) if sealed else None
    except InputError:
        return None
    return found[1] if found is not None and found[0] == number else None


def _read_or_create(connection: Connection, location: str | None) -> AuditKey:
    has_data_key = connection.execute(select(kontor_database.c.key_check)).scalar_one() is not None
    vault = Vault(location, may_create=not has_data_key)
    remember_data_key(connection, vault)
    check, sealed = connection.execute(select(kontor_database.c.key_check, kontor_database.c.audit_key)).one()
    if sealed is None:
        unset, fresh = kontor_database.c.audit_key.is_(None), named_key(PURPOSE, 1, secrets.token_hex(32))
        connection.execute(update(kontor_database).where(unset).values(audit_key=vault.seal(fresh)))
        # Not cached: the transaction may be undone, and another host may have been first.
        sealed = connection.execute(_STORED).scalar_one()
        return AuditKey(*open_key(vault, sealed, check, PURPOSE), sealed)
    key = AuditKey(*open_key(vault, sealed, check, PURPOSE), sealed)
    with connection.engine.connect() as other:  # what is not committed may be undone
        if other.execute(_STORED).scalar_one() == sealed:
            cached = {CACHED: key.key, CACHED_ROW: sealed, CACHED_NUMBER: key.number}
            connection.engine.update_execution_options(**cached)
    return key
