"""The register of rights: each row that grants something is held against what was entered of it.

Anybody can change rows who can write the database. So each change that Kontor makes to a row that grants something also
enters a digest of the whole row into the register, in the same transaction, and each reader holds the row against it. A
row that somebody without the data key has changed, inserted, swapped, put back or deleted does not match: it grants
nothing, and is listed by `findings`. How the register itself is protected: `register_rows.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json import loads
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, select, update

from connector.core.errors import RightMissing
from connector.core.messages import Text, say
from connector.store.database.statements import insert_if_absent
from connector.store.schema import credentials, rights_register
from connector.store.trust import register_rows
from connector.store.trust.granting_rows import (
    BUCKETS,
    KINDS,
    TARGETS,
    Identity,
    Kind,
    bucket_of,
    described,
    digest,
    entry_name,
)
from connector.store.trust.register_rows import Access, access_of, access_to_change

TRIES = 3
"""How often a row that does not match is read: it may be changed between the row and the register."""
MAX_FINDINGS = 100
Reason = Literal["altered", "missing", "inserted", "register"]


class Unverified(RightMissing):
    """A row that grants something is not as Kontor has left it."""

    def __init__(self, kind: Kind, identity: Identity) -> None:
        message = say("rights_unverified", what=described(kind.name, identity))
        remedy = say("rights_unverified_remedy")
        super().__init__(message, remedy=remedy, outcome="not_sent", reason="rights_unverified")


@dataclass(frozen=True, slots=True)
class Finding:
    """A row that does not verify."""

    reason: Reason
    kind: str
    identity: Identity
    workspace: str
    """Empty: it concerns the whole host."""

    @property
    def subject(self) -> str:
        """Which row it is, in one text."""
        return "/".join((self.kind, *self.identity))

    @property
    def what(self) -> Text:
        """Which row it is, for people."""
        return described(self.kind, self.identity)


def find(connection: Connection, kind: Kind, identity: Identity, *, lock: bool = False) -> Row[Any] | None:
    """Return the row with this primary key; raise `Unverified` when it, or that there is none, does not verify."""
    query = select(kind.table).where(kind.is_row(identity))
    for _ in range(TRIES):
        row = connection.execute(query.with_for_update() if lock else query).one_or_none()
        if not _mismatches(connection, kind, [identity], [] if row is None else [row]):
            return row
    raise Unverified(kind, identity)


def find_all(connection: Connection, kind: Kind, query: Select[Any]) -> list[Row[Any]]:
    """Return what a query for whole rows of this kind finds, without rows that do not verify."""
    rows, wrong = list[Row[Any]](), set[Identity]()
    for _ in range(TRIES):
        rows = list(connection.execute(query))
        wrong = _mismatches(connection, kind, [kind.identity(row) for row in rows], rows)
        if not wrong:
            break
    return [row for row in rows if kind.identity(row) not in wrong]


def check_all(connection: Connection, kind: Kind) -> None:
    """Raise `Unverified` when any row of a kind does not verify."""
    for found in findings(connection):
        if found.kind in {kind.name, rights_register.name}:
            raise Unverified(kind, found.identity)


def can_change(connection: Connection) -> bool:
    """Whether this process has the data key that others have, without which it enters nothing."""
    return access_of(connection).missing is None


def add(connection: Connection, kind: Kind, row: Mapping[str, Any]) -> bool:
    """Insert a row and enter it; False when there is one with its primary key."""
    access = access_to_change(connection)
    if not insert_if_absent(connection, kind.table, row):
        return False
    _enter(connection, access, kind, tuple(str(row[column.name]) for column in kind.table.primary_key))
    return True


def change(
    connection: Connection, kind: Kind, identity: Identity, values: Mapping[str, Any], *where: ColumnElement[bool]
) -> bool:
    """Change a row, where it is so, and enter it; False when it is not so, `Unverified` when it does not verify."""
    access = access_to_change(connection)
    if find(connection, kind, identity, lock=True) is None:
        return False
    if connection.execute(update(kind.table).where(kind.is_row(identity), *where).values(values)).rowcount != 1:
        return False
    _enter(connection, access, kind, identity)
    return True


def put(connection: Connection, kind: Kind, row: Mapping[str, Any]) -> None:
    """Insert a row or replace it, whatever was there, and enter it: somebody who may has just said what is to be."""
    access, identity = access_to_change(connection), tuple(str(row[one.name]) for one in kind.table.primary_key)
    if not insert_if_absent(connection, kind.table, row):
        connection.execute(update(kind.table).where(kind.is_row(identity)).values(row))
    _enter(connection, access, kind, identity)


def end(
    connection: Connection, kind: Kind, identity: Identity, values: Mapping[str, Any], *where: ColumnElement[bool]
) -> bool:
    """Change a row so that it grants nothing any more, whatever it is like; False when there is none where it is so."""
    access = access_to_change(connection)
    if connection.execute(update(kind.table).where(kind.is_row(identity), *where).values(values)).rowcount != 1:
        return False
    _enter(connection, access, kind, identity)
    return True


def remove(connection: Connection, kind: Kind, identity: Identity) -> None:
    """Delete a row, or take note that it is gone: nothing of it counts any more."""
    access = access_to_change(connection)
    connection.execute(delete(kind.table).where(kind.is_row(identity)))
    _enter(connection, access, kind, identity)


def lock(connection: Connection, kind: Kind, identity: Identity) -> None:
    """Let whoever changes such a row meanwhile wait until this transaction ends."""
    access = access_to_change(connection)
    if not access.trusts(kind):
        register_rows.read(connection, access, [bucket_of(entry_name(kind, identity))], lock=True)


def can_verify(connection: Connection) -> bool:
    """Whether rows of every kind are held against the register."""
    return not access_of(connection).trusted


def findings(connection: Connection) -> list[Finding]:
    """Return the rows that do not verify, at most a hundred; none where this process has not the data key."""
    found = list[Finding]()
    for _ in range(TRIES):
        found = list(_findings(connection))
        if not found:
            break
    return [_with_workspace(connection, one) for one in found[:MAX_FINDINGS]]


def _with_workspace(connection: Connection, found: Finding) -> Finding:
    """Name the workspace where a row says its API key instead."""
    if found.kind != TARGETS.name:
        return found
    home = select(credentials.c.workspace).where(credentials.c.id == found.workspace)
    return replace(found, workspace=connection.execute(home).scalar_one_or_none() or "")


def _mismatches(
    connection: Connection, kind: Kind, identities: Sequence[Identity], rows: Sequence[Row[Any]]
) -> set[Identity]:
    """Return which of these primary keys have a row, or none, that is not as it was entered."""
    access = access_of(connection)
    if not identities or access.trusts(kind):
        return set()
    expected = {kind.identity(row): digest(kind, row) for row in rows if kind.is_live(row)}
    if not access.begun:
        return set(expected)
    names = {identity: entry_name(kind, identity) for identity in identities}
    buckets = register_rows.read(connection, access, {bucket_of(name) for name in names.values()}).buckets
    return {
        identity
        for identity, name in names.items()
        if (bucket := buckets.get(bucket_of(name))) is None or bucket.get(name, (None,))[0] != expected.get(identity)
    }


def _enter(connection: Connection, access: Access, kind: Kind, identity: Identity) -> None:
    """Enter a row as it is now, or strike out what is gone or grants nothing any more."""
    if access.trusts(kind):
        return  # the register is not begun yet
    name = entry_name(kind, identity)
    number = bucket_of(name)
    register = register_rows.read(connection, access, [number], lock=True)
    if number not in register.buckets:
        raise Unverified(kind, identity)
    entries = register.buckets[number]
    row = connection.execute(select(kind.table).where(kind.is_row(identity))).one_or_none()
    if row is not None and kind.is_live(row):
        entries[name] = (digest(kind, row), kind.workspace_of(row))
    elif entries.pop(name, None) is None:
        return
    register_rows.write(connection, register, number, entries)


def _findings(connection: Connection) -> Iterator[Finding]:
    access = access_of(connection)
    kinds = [kind for kind in KINDS if not access.trusts(kind)]
    if not kinds:
        return
    rows = [(kind, row) for kind in kinds for row in connection.execute(select(kind.table)) if kind.is_live(row)]
    buckets = register_rows.read(connection, access, range(BUCKETS)).buckets
    if access.begun and len(buckets) < BUCKETS:
        yield Finding("register", rights_register.name, (), "")
    entries = {name: entry for bucket in buckets.values() for name, entry in bucket.items()}
    for kind, row in rows:
        identity = kind.identity(row)
        entry = entries.pop(entry_name(kind, identity), None)
        if entry is None:
            yield Finding("inserted", kind.name, identity, kind.workspace_of(row))
        elif entry[0] != digest(kind, row):
            yield Finding("altered", kind.name, identity, entry[1])
    for name, (_, workspace) in entries.items():
        kind_name, *identity_parts = loads(name)
        if not identity_parts:
            continue  # that the rows of a kind were entered
        yield Finding("missing", kind_name, tuple(identity_parts), workspace)
