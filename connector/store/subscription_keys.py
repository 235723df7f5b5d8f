"""Keys of subscription requests: a request repeated under its key gets the subscription of the first."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from connector.store.insert_once import insert_if_absent
from connector.store.schema import subscription_keys, subscriptions


class KeyedRequest(NamedTuple):
    """The request that used a key first, and its subscription."""

    digest: str
    subscription_id: str


def find(connection: Connection, credential_id: str, key: str) -> KeyedRequest | None:
    """Return the first request under a key."""
    columns = subscription_keys.c.digest, subscription_keys.c.subscription_id
    row = connection.execute(select(*columns).where(_is(credential_id, key))).one_or_none()
    return None if row is None else KeyedRequest(row.digest, row.subscription_id)


def save(
    connection: Connection,
    credential_id: str,
    key: str,
    request: KeyedRequest,
    before: KeyedRequest | None,
    now: datetime,
) -> bool:
    """Record a request under a key, in place of `before`; False when another host has just used the key."""
    values = {**request._asdict(), "made_at": now}
    if before is None:
        return insert_if_absent(connection, subscription_keys, {"credential_id": credential_id, "key": key, **values})
    unchanged = and_(_is(credential_id, key), subscription_keys.c.subscription_id == before.subscription_id)
    return connection.execute(update(subscription_keys).where(unchanged).values(values)).rowcount == 1


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete keys made before `before` whose subscription has ended."""
    active = select(subscriptions.c.id).where(subscriptions.c.state == "active")
    past = and_(subscription_keys.c.made_at < before, subscription_keys.c.subscription_id.not_in(active))
    return connection.execute(delete(subscription_keys).where(past)).rowcount


def _is(credential_id: str, key: str) -> ColumnElement[bool]:
    return and_(subscription_keys.c.credential_id == credential_id, subscription_keys.c.key == key)
