"""The audit log: who changed what, when, through which face and from where.

An entry is written in the transaction of the change that it tells of, signed by itself (`mac`, with the newest of the
keys in `audit_keys.py`), so that writers never wait for one another. A sealer (`audit_chain.py`) numbers the committed
entries of each workspace and chains them.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, insert, or_, select, union

from connector.core.callers import Actor, CallSource, Face
from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.schema import audit, audit_heads, kontor_database, runs
from connector.store.trust import audit_keys

HOST = ""
"""The workspace of entries that concern the whole host."""
SIGNED = ("id", "workspace", "at", "actor", "person", "face", "origin", "what", "subject", "details")
LIMITS = {name: audit.c[name].type.length for name in ("actor", "person", "face", "origin", "what", "subject")}  # type: ignore[attr-defined]
MAX_DETAILS = 4000
"""Characters of an entry's details; longer ones are left out."""
UNSIGNED = ""
SIGNATURE = "mac"
# Made once: every write has an entry, and making an encoder takes longer than encoding.
_PAYLOAD = json.JSONEncoder(separators=(",", ":")).encode
_INSERT = insert(audit)
_WRITTEN = [column.name for column in audit.columns if column.name not in ("number", "seal")]
# One statement, so that no entry is signed with a key that was replaced meanwhile.
_INSERT_IF_SIGNED = (
    insert(audit)
    .from_select(
        _WRITTEN,
        select(*(bindparam(name, type_=audit.c[name].type) for name in _WRITTEN)).where(
            kontor_database.c.audit_key == bindparam("of_key")
        ),
    )
    .execution_options(preserve_rowcount=True)
)
_DETAILS = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


@dataclass(frozen=True, slots=True)
class Entry:
    """A sealed entry."""

    number: int
    id: str
    workspace: str | None
    """None: it concerns the whole host."""
    at: datetime
    actor: str
    person: str
    face: str
    origin: str
    what: str
    subject: str
    details: dict[str, Any]
    seal: str


def record(
    connection: Connection,
    *,
    workspace: str | None,
    what: str,
    now: datetime,
    subject: str = "",
    details: Mapping[str, Any] | None = None,
    actor: Actor | None = None,
    face: Face = "host",
    origin: str = "",
) -> str:
    """Write an entry in the caller's transaction; return its id.

    `what` is an object and what became of it, for example `run.approved`; `subject` says which. Without an actor it was
    the owner of the machine or the host itself. Details hold no secrets.
    """
    source = CallSource(face, origin, actor)
    return record_by(connection, source, workspace=workspace, what=what, subject=subject, details=details, now=now)


def record_by(
    connection: Connection,
    source: CallSource,
    *,
    workspace: str | None,
    what: str,
    now: datetime,
    subject: str = "",
    details: Mapping[str, Any] | None = None,
) -> str:
    """Write an entry of whoever calls, as `current_source` has told before the change; return its id."""
    at, actor = now.timestamp(), source.actor
    texts = {
        "actor": actor.name if actor else "",
        "person": actor.person if actor else "",
        "face": source.face,
        "origin": source.origin,
        "what": what,
        "subject": subject,
    }
    row: dict[str, Any] = {name: _storable(value)[: LIMITS[name]] for name, value in texts.items()}
    row["id"] = f"{int(at * 1000):012x}{secrets.token_hex(10)}"
    row["workspace"], row["at"], row["details"] = workspace or HOST, at, _encoded(details or {})
    for fresh in (False, True):
        key = audit_keys.key_to_sign(connection, fresh=fresh)
        if key is None:
            break
        row[SIGNATURE] = signature(key.key, payload(row))
        if connection.execute(_INSERT_IF_SIGNED, {**row, "of_key": key.sealed}).rowcount == 1:
            return str(row["id"])
    row[SIGNATURE] = UNSIGNED  # this process has not the data key
    connection.execute(_INSERT, row)
    return str(row["id"])


def payload(row: Mapping[Any, Any]) -> bytes:
    """Return the bytes of an entry that are signed."""
    return _PAYLOAD([row[name] for name in SIGNED]).encode()


def signature(key: bytes, content: bytes) -> str:
    """Return the HMAC of these bytes."""
    return hmac.digest(key, content, "sha256").hex()


def listed(connection: Connection, workspace: str | None, after: str | None = None, limit: int = 1000) -> list[Entry]:
    """Return sealed entries in the order of their chains, after the one with the id `after`; None: of all workspaces.

    `workspace` is `HOST` for those that concern the whole host.
    """
    which = [audit.c.number.is_not(None), _visible(workspace)]
    if after:
        last = connection.execute(select(audit.c.workspace, audit.c.number).where(audit.c.id == after, *which)).first()
        if last is None:
            raise InputError(say("audit_after_unknown"), field="after")
        same = and_(audit.c.workspace == last.workspace, audit.c.number > last.number)
        which.append(or_(audit.c.workspace > last.workspace, same))
    found = select(audit).where(*which).order_by(audit.c.workspace, audit.c.number).limit(limit)
    return [_entry(row) for row in connection.execute(found)]


def workspaces_with_entries(connection: Connection) -> Sequence[str]:
    """Return the workspaces that have entries, or had, or must have, by name; `HOST` stands for the whole host."""
    found = union(select(audit.c.workspace), select(audit_heads.c.workspace), select(runs.c.workspace))
    return sorted(connection.execute(found).scalars())


def _visible(workspace: str | None) -> ColumnElement[bool]:
    return audit.c.id.is_not(None) if workspace is None else audit.c.workspace == workspace


def _encoded(details: Mapping[str, Any]) -> str:
    text = _DETAILS(details)
    return _storable(text) if len(text) <= MAX_DETAILS else json.dumps({"left_out": f"{len(text)} characters"})


def _storable(text: str) -> str:
    """Return a text that every database can keep: without zero bytes and halves of characters."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        row.number,
        row.id,
        row.workspace or None,
        datetime.fromtimestamp(row.at, UTC),
        row.actor,
        row.person,
        row.face,
        row.origin,
        row.what,
        row.subject,
        json.loads(row.details),
        row.seal,
    )
