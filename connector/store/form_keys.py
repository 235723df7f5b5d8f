"""Keys of filled forms: the same contents, pressed in two tabs or after a reload, are one run."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from connector.store.insert_once import insert_if_absent
from connector.store.runs import Run
from connector.store.schema import form_keys
from connector.store.timestamps import as_utc


def claim(connection: Connection, credential_id: str, digest: str, key: str, since: datetime, now: datetime) -> str:
    """Return the key to send these contents with: `key`, or the one under which an equal form was sent since then."""
    fresh = {"credential_id": credential_id, "digest": digest, "key": key, "made_at": now}
    if insert_if_absent(connection, form_keys, fresh):
        return key
    sent = connection.execute(select(form_keys).where(_is(credential_id, digest))).one()
    if as_utc(sent.made_at) > since:
        return str(sent.key)
    unchanged = and_(_is(credential_id, digest), form_keys.c.key == sent.key)
    if connection.execute(update(form_keys).where(unchanged).values(key=key, made_at=now)).rowcount == 1:
        return key
    return str(connection.execute(select(form_keys.c.key).where(_is(credential_id, digest))).scalar_one())


def replace(connection: Connection, credential_id: str, digest: str, key: str, repeated: Run, now: datetime) -> str:
    """Return the key to send these contents with once more, after an equal run that was made from anywhere.

    Of two who repeat the same run at once, both get the same key.
    """
    fresh = {"credential_id": credential_id, "digest": digest, "key": key, "made_at": now}
    if insert_if_absent(connection, form_keys, fresh):
        return key
    sent = connection.execute(select(form_keys).where(_is(credential_id, digest))).one()
    if sent.key == repeated.key or as_utc(sent.made_at) <= repeated.made_at:  # nobody has repeated that run yet
        unchanged = and_(_is(credential_id, digest), form_keys.c.key == sent.key)
        connection.execute(update(form_keys).where(unchanged).values(key=key, made_at=now))
    return str(connection.execute(select(form_keys.c.key).where(_is(credential_id, digest))).scalar_one())


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete keys made before `before`."""
    return connection.execute(delete(form_keys).where(form_keys.c.made_at < before)).rowcount


def _is(credential_id: str, digest: str) -> ColumnElement[bool]:
    return and_(form_keys.c.credential_id == credential_id, form_keys.c.digest == digest)
