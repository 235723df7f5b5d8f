"""Chains the entries of the audit log, and finds out whether anybody has changed it.

The sealer gives each committed entry of a workspace the next number, and a seal over the entry and the seal before it.
The chain's head is moved by compare-and-set in the same transaction, so that of two sealers only one gets on.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, RowMapping, bindparam, exists, select, update

from connector.store.database.statements import insert_if_absent
from connector.store.schema import UNSEALED, audit, audit_heads, kontor_database
from connector.store.trust import audit_keys
from connector.store.trust.audit import SIGNED, payload, signature
from connector.store.trust.audit_keys import AuditKey

BATCH_SIZE = 1000
Reason = Literal["altered", "missing", "inserted", "head", "end", "anchor"]
_ANY_UNSEALED = select(exists(audit.c.id).where(UNSEALED))


class ChainMoved(Exception):
    """Another sealer was quicker: nothing is sealed in this transaction."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The first thing that is wrong with a chain."""

    reason: Reason
    number: int | None
    """The number of the entry."""
    id: str | None = None
    until: int | None = None
    """The last number, where several are missing at the end."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out about the chain of one workspace."""

    workspace: str
    entries: int
    anchor: str | None
    """Number and seal of the newest entry: kept elsewhere, it shows later whether the end is missing."""
    finding: Finding | None


def has_unsealed(connection: Connection) -> bool:
    """Whether there is anything to seal."""
    return bool(connection.execute(_ANY_UNSEALED).scalar_one())


def seal(connection: Connection) -> int:
    """Chain committed entries, at most a batch; return how many. Raise `ChainMoved` when another sealer was quicker."""
    key = audit_keys.newest(connection)
    if key is None:
        return 0
    waiting = select(*(audit.c[name] for name in (*SIGNED, "mac")))
    rows = connection.execute(waiting.where(UNSEALED).order_by(audit.c.workspace, audit.c.id).limit(BATCH_SIZE))
    by_workspace: dict[str, list[RowMapping]] = {}
    for row in rows.mappings():
        by_workspace.setdefault(row["workspace"], []).append(row)
    return sum(_seal_workspace(connection, key, name, entries) for name, entries in by_workspace.items())


def _seal_workspace(connection: Connection, key: AuditKey, workspace: str, rows: Sequence[RowMapping]) -> int:
    mine = audit_heads.c.workspace == workspace
    head = connection.execute(select(audit_heads).where(mine)).one_or_none()
    if head is None and not _begin(connection, workspace):
        return 0
    number, last = (head.number, head.seal) if head is not None else (0, "")
    first, sealed = number, []
    for row in rows:
        number += 1
        last = _seal(key.key, last, number, payload(row), row["mac"])
        sealed.append({"entry": row["id"], "place": number, "value": last})
    is_newest = exists().where(kontor_database.c.audit_key == key.sealed)
    moved = update(audit_heads).where(mine, audit_heads.c.number == first, is_newest).values(number=number, seal=last)
    if connection.execute(moved).rowcount != 1:
        raise ChainMoved
    one = update(audit).where(audit.c.id == bindparam("entry"), UNSEALED)
    connection.execute(one.values(number=bindparam("place"), seal=bindparam("value")), sealed)
    return len(sealed)


def _begin(connection: Connection, workspace: str) -> bool:
    """Begin a chain; False when there is one whose head was deleted, which `verify` tells."""
    sealed = select(audit.c.id).where(audit.c.workspace == workspace, audit.c.number.is_not(None)).limit(1)
    if connection.execute(sealed).first() is not None:
        return False
    if not insert_if_absent(connection, audit_heads, {"workspace": workspace, "number": 0, "seal": ""}):
        raise ChainMoved
    return True


def verify(
    connection: Connection,
    workspace: str,
    anchor: str | None = None,
    look_at: Callable[[RowMapping], None] = lambda row: None,
) -> Verdict:
    """Check the chain of a workspace; with an anchor also that it still holds what that one stands for.

    `look_at` is given each entry that somebody with the data key has written.
    """
    places = _Places(audit_keys.all_keys(connection), workspace)
    head = connection.execute(select(audit_heads).where(audit_heads.c.workspace == workspace)).one_or_none()
    chained = select(*(audit.c[name] for name in (*SIGNED, "mac", "number", "seal")))
    mine = chained.where(audit.c.workspace == workspace, audit.c.number.is_not(None)).order_by(audit.c.number)
    count, last, finding = 0, "", None
    number_of_anchor, seal_of_anchor = _parts(anchor)
    anchored = anchor is None
    for row in connection.execute(mine).mappings():
        count += 1
        finding = finding or _check(places, last, count, row)
        if finding is None or places.has_signed(row):
            look_at(row)
        last = row["seal"]
        anchored = anchored or last == seal_of_anchor
    if finding is None and count < places.least:
        finding = Finding("end", count + 1, until=places.least)
    if finding is None and count and head is None:
        finding = Finding("head", None)
    elif finding is None and head is not None and (head.number, head.seal) != (count, last):
        finding = Finding("end", count + 1, until=head.number) if head.number > count else Finding("head", None)
    if finding is None and not anchored:
        until = number_of_anchor
        finding = Finding("end", count + 1, until=until) if until and until > count else Finding("anchor", until)
    return Verdict(workspace, count, f"{count}-{last}" if count else None, finding)


class _Places:
    """Which key has signed which entries of a chain."""

    def __init__(self, keys: Sequence[AuditKey], workspace: str) -> None:
        self._keys = [key.key for key in keys]
        ends = [(key.began or {}).get(workspace, (0, "")) for key in keys]
        self._begins = [number for number, _ in ends]
        self._seals = {number: seal for number, seal in ends if number}
        self.is_whole = bool(keys) and all(key.key and key.began is not None for key in keys)
        """Whether every key can be read, and what was kept with it."""

    @property
    def least(self) -> int:
        """How many entries there must be."""
        return max(self._begins, default=0)

    def key_of(self, number: int) -> bytes:
        """Return the key that must have signed the entry with this number; empty when nobody can say."""
        if not self.is_whole:
            return b""
        return self._keys[max(place for place, begin in enumerate(self._begins) if begin < number)]

    def has_signed(self, row: RowMapping) -> bool:
        """Whether an entry was written with the data key, wherever it stands."""
        key = self.key_of(row["number"]) if row["number"] > 0 else b""
        return bool(key) and hmac.compare_digest(row["mac"], signature(key, payload(row)))

    def is_end(self, number: int, seal: str) -> bool:
        """Whether the entry is as it was when its key was replaced, if it was the last one then."""
        return self._seals.get(number, seal) == seal


def has_anchor(connection: Connection, anchor: str) -> bool:
    """Whether any chain has the entry that an anchor stands for."""
    return connection.execute(select(audit.c.id).where(audit.c.seal == _parts(anchor)[1])).first() is not None


def _check(places: _Places, last: str, expected: int, row: RowMapping) -> Finding | None:
    """Check one entry of which the ones before are right."""
    key = places.key_of(expected)
    if row["number"] != expected:
        return Finding("missing", expected) if row["number"] > expected else Finding("inserted", expected, row["id"])
    content = payload(row)
    is_sealed = hmac.compare_digest(row["seal"] or "", _seal(key, last, expected, content, row["mac"]))
    if not key or not is_sealed or not places.is_end(expected, row["seal"]):
        return Finding("altered", expected, row["id"])
    # Chained by the sealer, but not written by anybody who has the data key.
    return (
        None if hmac.compare_digest(row["mac"], signature(key, content)) else Finding("inserted", expected, row["id"])
    )


def _seal(key: bytes, last: str, number: int, content: bytes, mac: str) -> str:
    return signature(key, f"{last}:{number}:{mac}:".encode() + content)


def _parts(anchor: str | None) -> tuple[int | None, str]:
    """Return number and seal of an anchor; a seal alone does as well."""
    number, dash, seal_text = (anchor or "").strip().rpartition("-")
    return (int(number) if dash and number.isascii() and number.isdecimal() else None), seal_text.lower()
