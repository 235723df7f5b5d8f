"""The bank connections that the service has shown, and what flows were told of them.

So the end of one that never was is not believed, and an event that brings nothing new tells nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select, update

from connector.core.values import json
from connector.core.writes.marks import digest
from connector.store.database.statements import insert_if_absent
from connector.store.schema import seen_bank_connections

DESCRIPTION = ("provider_name", "provider_code", "country_code")
"""What is kept of a bank connection."""
MAX_ID_CHARACTERS = 120


def described(connection: Connection, credential_id: str, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return what is known of these bank connections, without those that were never shown."""
    mine = and_(
        seen_bank_connections.c.credential_id == credential_id, seen_bank_connections.c.connection_id.in_(list(ids))
    )
    rows = connection.execute(
        select(seen_bank_connections.c.connection_id, seen_bank_connections.c.description).where(mine)
    )
    return {row.connection_id: json.decode(row.description) for row in rows}


def known(connection: Connection, credential_id: str) -> list[str]:
    """Return the ids of all bank connections that the service has shown."""
    mine = seen_bank_connections.c.credential_id == credential_id
    return list(connection.execute(select(seen_bank_connections.c.connection_id).where(mine)).scalars())


def save(connection: Connection, credential_id: str, id: str, shown: Mapping[str, Any], now: datetime) -> bool:
    """Remember what the API showed of a bank connection; True when that is news."""
    if len(id) > MAX_ID_CHARACTERS:
        return False
    description = {name: shown[name] for name in DESCRIPTION if isinstance(shown.get(name), str)}
    row = {"description": json.encode(description).decode(), "digest": digest(id, dict(shown))}
    keys = {"credential_id": credential_id, "connection_id": id}
    if insert_if_absent(connection, seen_bank_connections, {**keys, **row, "seen_at": now.timestamp()}):
        return True
    changed = update(seen_bank_connections).where(
        _is(credential_id, id), seen_bank_connections.c.digest != row["digest"]
    )
    return connection.execute(changed.values(**row, seen_at=now.timestamp())).rowcount == 1


def was_reported(connection: Connection, credential_id: str, id: str, event: str, state: str) -> bool:
    """Whether this state of a bank connection, a digest, is the last one that flows were told by this kind of event."""
    return _reported(connection, credential_id, id).get(event) == state


def record_state(connection: Connection, credential_id: str, id: str, states: Mapping[str, str]) -> None:
    """Remember what flows were told of a bank connection that was shown: by event, the digest of its state."""
    digests = json.encode({**_reported(connection, credential_id, id), **states}).decode()
    connection.execute(update(seen_bank_connections).where(_is(credential_id, id)).values(told=digests))


def _reported(connection: Connection, credential_id: str, id: str) -> dict[str, str]:
    digests = connection.execute(select(seen_bank_connections.c.told).where(_is(credential_id, id))).scalar()
    return json.decode(digests) if digests else {}


def _is(credential_id: str, id: str) -> ColumnElement[bool]:
    return and_(seen_bank_connections.c.credential_id == credential_id, seen_bank_connections.c.connection_id == id)


def save_of_payments(
    connection: Connection, credential_id: str, payments: Collection[Mapping[str, Any]], now: datetime
) -> None:
    """Remember the bank connections with which payments were made."""
    for payment in payments:
        id = payment.get("connection_id")
        if isinstance(id, str) and 0 < len(id) <= MAX_ID_CHARACTERS:
            description = {name: payment[name] for name in DESCRIPTION if isinstance(payment.get(name), str)}
            row = {"description": json.encode(description).decode(), "digest": "", "seen_at": now.timestamp()}
            keys = {"credential_id": credential_id, "connection_id": id}
            insert_if_absent(connection, seen_bank_connections, {**keys, **row})
