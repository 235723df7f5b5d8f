"""Keys of filled forms: the same contents, pressed in two tabs or after a reload, are one run."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from connector.store.insert_once import insert_if_absent
from connector.store.schema import form_keys
from connector.store.timestamps import as_utc

REPEAT_WINDOW = timedelta(minutes=10)
"""A form that was filled so soon after an equal one was sent is taken for the same."""


def claim(connection: Connection, credential_id: str, digest: str, key: str, filled_at: datetime, now: datetime) -> str:
    """Return the key to send these contents with: `key`, or the one under which an equal form was sent just before.

    A form counts as sent before if that was after this one was filled, or at most ten minutes earlier.
    """
    fresh = {"credential_id": credential_id, "digest": digest, "key": key, "made_at": now}
    if insert_if_absent(connection, form_keys, fresh):
        return key
    sent = connection.execute(select(form_keys).where(_is(credential_id, digest))).one()
    if as_utc(sent.made_at) > filled_at - REPEAT_WINDOW:
        return str(sent.key)
    unchanged = and_(_is(credential_id, digest), form_keys.c.key == sent.key)
    if connection.execute(update(form_keys).where(unchanged).values(key=key, made_at=now)).rowcount == 1:
        return key
    return str(connection.execute(select(form_keys.c.key).where(_is(credential_id, digest))).scalar_one())


def replace(connection: Connection, credential_id: str, digest: str, key: str, before: str, now: datetime) -> str:
    """Return the key to send these contents with once more; `before` is the one of the first time.

    Of two who repeat it at once, both get the same key.
    """
    unchanged = and_(_is(credential_id, digest), form_keys.c.key == before)
    connection.execute(update(form_keys).where(unchanged).values(key=key, made_at=now))
    found = connection.execute(select(form_keys.c.key).where(_is(credential_id, digest))).scalar()
    return key if found is None else str(found)


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete keys made before `before`."""
    return connection.execute(delete(form_keys).where(form_keys.c.made_at < before)).rowcount


def _is(credential_id: str, digest: str) -> ColumnElement[bool]:
    return and_(form_keys.c.credential_id == credential_id, form_keys.c.digest == digest)
