"""How bank connections and bank accounts stood when the service last showed them.

The service lists no bank connections and posts no event when a consent ends, so a host asks now and then and keeps the
answers here: whoever wants to know what needs a person reads them, and asks nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, and_, delete, select, update

from connector.core.values import json
from connector.store.database.statements import insert_if_absent
from connector.store.schema import bank_states
from connector.store.trust import sealing

Kind = Literal["connection", "account"]
MAX_ID_CHARACTERS, MAX_TROUBLE_CHARACTERS = 120, 200


@dataclass(frozen=True, slots=True)
class BankState:
    """A row of the table."""

    kind: Kind
    id: str
    shown: dict[str, Any]
    """The resource as the service showed it."""
    trouble: str
    """What is wrong with it, as a key that changes when something else is; empty: nothing."""
    since: datetime | None
    """When this trouble was first seen."""
    seen_at: datetime


def save(
    connection: Connection,
    credential_id: str,
    kind: Kind,
    id: str,
    shown: Mapping[str, Any],
    trouble: str,
    now: datetime,
) -> None:
    """Remember what the service shows; trouble that lasts keeps the moment when it began."""
    if not 0 < len(id) <= MAX_ID_CHARACTERS:
        return
    trouble, at = trouble[:MAX_TROUBLE_CHARACTERS], now.timestamp()
    row = {"shown": sealing.seal(connection, json.encode(dict(shown)).decode()), "seen_at": at}
    keys, began = {"credential_id": credential_id, "kind": kind, "id": id}, at if trouble else None
    if insert_if_absent(connection, bank_states, {**keys, **row, "trouble": trouble, "since": began}):
        return
    mine = _is(credential_id, kind, id)
    connection.execute(update(bank_states).where(mine).values(**row))
    changed = and_(mine, bank_states.c.trouble != trouble)
    connection.execute(update(bank_states).where(changed).values(trouble=trouble, since=began))


def forget(connection: Connection, credential_id: str, kind: Kind, ids: Collection[str]) -> None:
    """Forget what is no longer there."""
    for id in ids:
        connection.execute(delete(bank_states).where(_is(credential_id, kind, id)))


def listed(connection: Connection, credential_id: str, kind: Kind) -> list[BankState]:
    """Return what is known of a credential's bank connections, or of its accounts."""
    mine = and_(bank_states.c.credential_id == credential_id, bank_states.c.kind == kind)
    rows = connection.execute(select(bank_states).where(mine).order_by(bank_states.c.id))
    return [
        BankState(
            kind,
            row.id,
            json.decode(sealing.opened(connection, row.shown)),
            row.trouble,
            None if row.since is None else datetime.fromtimestamp(row.since, UTC),
            datetime.fromtimestamp(row.seen_at, UTC),
        )
        for row in rows
    ]


def _is(credential_id: str, kind: Kind, id: str) -> Any:
    return and_(bank_states.c.credential_id == credential_id, bank_states.c.kind == kind, bank_states.c.id == id)
