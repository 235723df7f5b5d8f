"""The rows of the register of rights, the key that signs them, and how an older database is taken over.

The register is a fixed number of rows (buckets) and a root. Each is signed together with its revision, and the root
holds the revisions of all, so that an older bucket put back does not verify and none can be missing. The whole register
put back is noticed by processes that have seen a later one.

The key is random and kept in the database, encrypted with the data key. The rows of an older database are taken over
once, by the first process that opens it with its data key. Which may be, is told by the constant that only the data key
can write (`vault.py`): all where older code has used the key, none once rights are sealed, and in a new database those
that are also written without a key.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from connector.core.errors import InputError
from connector.store.database.database import WRITES, Database
from connector.store.schema import kontor_database, rights_register
from connector.store.trust import audit
from connector.store.trust.audit_keys import LOCATION
from connector.store.trust.granting_rows import (
    BUCKETS,
    KINDS,
    Kind,
    bucket_of,
    digest,
    entry_name,
    entry_name_of_kind,
)
from connector.store.trust.vault import KEY_KNOWN, REPLACED, SEALED, Vault, is_used, named_key, open_key, open_vault

CACHED, NEWEST = "kontor_register_key", "kontor_register_revision"
"""Options of an engine: access to the register once its key was read, and the newest revision of the root seen."""
ROOT = -1
PURPOSE = "register"
MAX_REVISION, SKIPPED_REVISIONS = 2**30, 1000
"""A register that begins anew is newer than what any process has seen, unless somebody wrote nonsense there."""
Entries = dict[str, Sequence[str]]
"""By the name of a row its digest and its workspace."""
_BUCKET = rights_register.c.bucket
_ALL = frozenset(kind.name for kind in KINDS)
_WITHOUT_KEY = frozenset(kind.name for kind in KINDS if not kind.needs_key)


@dataclass(frozen=True, slots=True)
class Access:
    """What this process can do with the register."""

    key: bytes | None
    """Signs it; None where nothing is taken over, or where it cannot be had."""
    trusted: frozenset[str] = frozenset()
    """The kinds of which every row counts, because nothing was taken over yet or this process cannot know."""
    vault: Vault | None = field(default=None, repr=False)
    """Where the register is still to be begun, or rows are to be taken over that older code has not entered."""
    read_with: Vault | None = field(default=None, repr=False)
    """What has opened the key."""
    begun: bool = True
    """Whether there must be a register."""
    missing: InputError | None = None
    """Why this process has not the data key that others have."""

    def trusts(self, kind: Kind) -> bool:
        """Whether every row of a kind counts."""
        return kind.name in self.trusted


def access_of(connection: Connection) -> Access:
    """Return what this process can do with the register."""
    cached: Access | None = connection.engine.get_execution_options().get(CACHED)
    is_old = cached is None or (cached.read_with is not None and cached.read_with.has_changed)
    return _find_access(connection) if is_old or cached is None else cached


def access_to_change(connection: Connection) -> Access:
    """Return access for a change, after an older database was taken over; raise where the data key is missing."""
    access = access_of(connection)
    if access.missing is not None:
        raise access.missing.with_traceback(None)  # it may be raised again and again
    if access.vault is None:
        return access
    if access.begun:
        _take_over_later(connection, access)
    else:
        _take_over(connection, access.vault, access.trusted)
    return _find_access(connection)


def open_sealed_vault(database: Database, data_location: str, env: Mapping[str, str] = os.environ) -> Vault:
    """Return the vault with the database's data key, after an older database was taken over."""
    vault = open_vault(database, data_location, env)
    if database.read(access_of).vault is not None:
        database.write(access_to_change).result()
    return vault


def _find_access(connection: Connection) -> Access:
    check, sealed = connection.execute(select(kontor_database.c.key_check, kontor_database.c.register_key)).one()
    try:
        vault = Vault(connection.engine.get_execution_options().get(LOCATION), may_create=check is None)
        told = vault.open(check) if check is not None else REPLACED if is_used(connection) else ""
    except InputError as error:
        if check is None:  # a shared database that no host has used
            return Access(None, _WITHOUT_KEY, begun=False)
        # No host starts without the key; a command line beside it can read from the service, and store no write.
        return Access(None, _ALL, missing=error)
    if sealed is None:
        if told in {SEALED, REPLACED}:
            return Access(None)
        return Access(None, _ALL if told == KEY_KNOWN else _WITHOUT_KEY, vault, begun=False)
    try:
        access = Access(open_key(vault, sealed, check, PURPOSE)[1], read_with=vault)
    except InputError:
        return Access(None)
    later = _not_taken_over(connection, access)
    if later:
        return replace(access, trusted=later, vault=vault)
    with connection.engine.connect() as other:  # what is not committed may be undone
        if other.execute(select(kontor_database.c.register_key)).scalar_one() == sealed and (
            not connection.get_execution_options().get(WRITES) or not _not_taken_over(other, access)
        ):
            connection.engine.update_execution_options(**{CACHED: access})
    return access


def _stored_key(connection: Connection) -> bytes | None:
    check, sealed = connection.execute(select(kontor_database.c.key_check, kontor_database.c.register_key)).one()
    try:
        vault = Vault(connection.engine.get_execution_options().get(LOCATION), may_create=False)
        return None if sealed is None else open_key(vault, sealed, check, PURPOSE)[1]
    except InputError:
        return None


def _not_taken_over(connection: Connection, access: Access) -> frozenset[str]:
    """Return the kinds whose rows are still to be entered, since the register was begun by code that entered none."""
    names = {kind.name: entry_name_of_kind(kind) for kind in KINDS if kind.later}
    buckets = read(connection, access, {bucket_of(name) for name in names.values()}).buckets
    # Where a bucket does not verify, nothing is taken over.
    return frozenset(
        kind
        for kind, name in names.items()
        if (bucket := buckets.get(bucket_of(name))) is not None and name not in bucket
    )


def _take_over_later(connection: Connection, access: Access) -> None:
    """Enter the rows of kinds that were not entered before; of two processes at the same moment, one does."""
    register = read(connection, access, range(BUCKETS), lock=True)
    missing = [kind for kind in KINDS if kind.name in _not_taken_over(connection, access)]
    changed = dict[int, Entries]()
    for kind in missing:
        for name, entry in (*_entries_of(connection, kind), (entry_name_of_kind(kind), ("", ""))):
            number = bucket_of(name)
            if number in register.buckets:
                changed.setdefault(number, dict(register.buckets[number]))[name] = entry
    if changed:
        write_all(connection, register, changed)
        details = {"kinds": sorted(kind.name for kind in missing)}
        audit.record(connection, workspace=None, what="rights.sealed", details=details, now=datetime.now(UTC))


def _entries_of(connection: Connection, kind: Kind) -> Iterator[tuple[str, Sequence[str]]]:
    for row in connection.execute(select(kind.table)):
        if kind.is_live(row):
            yield entry_name(kind, kind.identity(row)), (digest(kind, row), kind.workspace_of(row))


def _take_over(connection: Connection, vault: Vault, kinds: Collection[str]) -> None:
    """Begin the register with the rows that are there; of two processes at the same moment, one does."""
    key, unset = secrets.token_bytes(32), kontor_database.c.register_key.is_(None)
    check = connection.execute(select(kontor_database.c.key_check)).scalar_one()
    told = REPLACED if check is not None and vault.open(check) == REPLACED else SEALED
    values = {"register_key": vault.seal(named_key(PURPOSE, 1, key.hex())), "key_check": vault.seal(told)}
    if connection.execute(update(kontor_database).where(unset).values(values)).rowcount != 1:
        return
    entries = list[Entries]({} for _ in range(BUCKETS))
    for kind in KINDS:
        for name, entry in _entries_of(connection, kind) if kind.name in kinds else ():
            entries[bucket_of(name)][name] = entry
        if kind.later:
            entries[bucket_of(entry_name_of_kind(kind))][entry_name_of_kind(kind)] = ("", "")
    rows = [_signed(key, number, 1, _encoded(one)) for number, one in enumerate(entries)]
    connection.execute(delete(rights_register))
    connection.execute(insert(rights_register), [*rows, _signed(key, ROOT, 1, json.dumps([1] * BUCKETS))])
    details = {"rows": sum(map(len, entries)) - sum(kind.later for kind in KINDS)}
    audit.record(connection, workspace=None, what="rights.sealed", details=details, now=datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Register:
    """Rows of the register that verify."""

    key: bytes | None
    root: Row[Any] | None
    """None: nothing verifies."""
    buckets: Mapping[int, Entries]
    """Those that were asked for and verify."""


def read(connection: Connection, access: Access, buckets: Collection[int], *, lock: bool = False) -> Register:
    """Return these buckets; with `lock`, whoever asks so meanwhile waits until this transaction ends."""
    query = select(rights_register).order_by(_BUCKET)
    if len(buckets) < BUCKETS:
        query = query.where(_BUCKET.in_([ROOT, *buckets]))
    newest, key = _newest_seen(connection), access.key
    rows = {row.bucket: row for row in connection.execute(query.with_for_update() if lock else query)}
    root = rows.pop(ROOT, None)
    if key is not None and root is not None and not _is_signed(key, root):
        key = _stored_key(connection)  # it may have been replaced
        connection.engine.update_execution_options(**{CACHED: None})
    if key is None or root is None or root.revision < newest or not _is_signed(key, root):
        return Register(key, None, {})
    _remember_newest(connection, root.revision)
    revisions = json.loads(root.entries)
    verified = {
        number: json.loads(row.entries)
        for number, row in rows.items()
        if 0 <= number < BUCKETS and row.revision == revisions[number] and _is_signed(key, row)
    }
    return Register(key, root, verified)


def write(connection: Connection, register: Register, number: int, entries: Entries) -> None:
    """Write a bucket of a register that was read and locked."""
    write_all(connection, register, {number: entries})


def write_all(connection: Connection, register: Register, buckets: Mapping[int, Entries]) -> None:
    """Write several buckets of a register that was read and locked."""
    assert register.key is not None
    assert register.root is not None
    revisions = json.loads(register.root.entries)
    for number, entries in buckets.items():
        revisions[number] += 1
        _put(connection, _signed(register.key, number, revisions[number], _encoded(entries)))
    _put(connection, _signed(register.key, ROOT, register.root.revision + 1, json.dumps(revisions)))


def replace_key(connection: Connection, vault: Vault) -> bool:
    """Sign the register with a new key; what does not verify does not then either. False where nothing is sealed."""
    check, sealed = connection.execute(select(kontor_database.c.key_check, kontor_database.c.register_key)).one()
    if sealed is None:
        return False
    number, former = open_key(vault, sealed, check, PURPOSE)
    register = read(connection, Access(former), range(BUCKETS), lock=True)
    key = secrets.token_bytes(32)
    renewed = vault.seal(named_key(PURPOSE, number + 1, key.hex()))
    connection.execute(update(kontor_database).values(register_key=renewed))
    if register.root is not None and register.key == former:
        write_all(connection, replace(register, key=key), register.buckets)
    return True


def begin_anew(connection: Connection) -> None:
    """Write a register of the buckets that verify; the others are empty, and so nothing in them is granted."""
    check, sealed = connection.execute(select(kontor_database.c.key_check, kontor_database.c.register_key)).one()
    vault = Vault(connection.engine.get_execution_options().get(LOCATION), may_create=False)
    vault.open(check or "")  # raises without the data key
    try:
        number, key = open_key(vault, sealed or "", check, PURPOSE)
        kept: Mapping[int, Entries] = read(connection, Access(key), range(BUCKETS), lock=True).buckets
    except InputError:
        number, kept = 0, {}
    key = secrets.token_bytes(32)
    renewed = vault.seal(named_key(PURPOSE, number + 1, key.hex()))
    connection.execute(update(kontor_database).values(register_key=renewed))
    stored = connection.execute(select(rights_register.c.revision).where(_BUCKET == ROOT)).scalar_one_or_none() or 0
    revision = max(stored if stored < MAX_REVISION else 0, _newest_seen(connection)) + SKIPPED_REVISIONS
    entries = [dict(kept.get(number, {})) for number in range(BUCKETS)]
    for kind in KINDS:
        if kind.later:
            entries[bucket_of(entry_name_of_kind(kind))][entry_name_of_kind(kind)] = ("", "")
    rows = [_signed(key, number, revision, _encoded(one)) for number, one in enumerate(entries)]
    connection.execute(delete(rights_register))
    connection.execute(insert(rights_register), [*rows, _signed(key, ROOT, revision, json.dumps([revision] * BUCKETS))])
    connection.engine.update_execution_options(**{CACHED: None})


def _put(connection: Connection, row: Mapping[str, Any]) -> None:
    connection.execute(update(rights_register).where(_BUCKET.in_([row["bucket"]])).values(row))


def _encoded(entries: Entries) -> str:
    return json.dumps(entries, separators=(",", ":"))


def _signed(key: bytes, bucket: int, revision: int, entries: str) -> dict[str, Any]:
    return {"bucket": bucket, "revision": revision, "entries": entries, "mac": _mac(key, bucket, revision, entries)}


def _mac(key: bytes, bucket: int, revision: int, entries: str) -> str:
    return hmac.digest(key, f"{bucket}:{revision}:{entries}".encode("utf-8", "surrogatepass"), "sha256").hex()


def _is_signed(key: bytes, row: Row[Any]) -> bool:
    return hmac.compare_digest(str(row.mac).encode(), _mac(key, row.bucket, row.revision, row.entries).encode())


def _newest_seen(connection: Connection) -> int:
    return int(connection.engine.get_execution_options().get(NEWEST, 0))


def _remember_newest(connection: Connection, revision: int) -> None:
    """Remember the revision of the root, unless the reader also writes: what it reads may be undone."""
    if not connection.get_execution_options().get(WRITES) and revision > _newest_seen(connection):
        connection.engine.update_execution_options(**{NEWEST: revision})
