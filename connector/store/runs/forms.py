"""What the console keeps of forms: the keys of filled ones, and the last answers of reads.

Keys of filled forms: the same contents, pressed in two tabs or after a reload, are one run.

The last answers of reads, encrypted: what a page shows with its age, without asking the service again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from connector.core.values import json
from connector.store.database.statements import as_utc, insert_if_absent
from connector.store.runs.runs import Run
from connector.store.schema import form_keys, kept_answers
from connector.store.trust.sealing import opened, seal


def claim_form(
    connection: Connection, credential_id: str, digest: str, key: str, since: datetime, now: datetime
) -> str:
    """Return the key to send these contents with: `key`, or the one under which an equal form was sent since then."""
    fresh = {"credential_id": credential_id, "digest": digest, "key": key, "made_at": now}
    if insert_if_absent(connection, form_keys, fresh):
        return key
    sent = connection.execute(select(form_keys).where(_is_form(credential_id, digest))).one()
    if as_utc(sent.made_at) > since:
        return str(sent.key)
    unchanged = and_(_is_form(credential_id, digest), form_keys.c.key == sent.key)
    if connection.execute(update(form_keys).where(unchanged).values(key=key, made_at=now)).rowcount == 1:
        return key
    return str(connection.execute(select(form_keys.c.key).where(_is_form(credential_id, digest))).scalar_one())


def replace_form_run(
    connection: Connection, credential_id: str, digest: str, key: str, repeated: Run, now: datetime
) -> str:
    """Return the key to send these contents with once more, after an equal run that was made from anywhere.

    Of two who repeat the same run at once, both get the same key.
    """
    fresh = {"credential_id": credential_id, "digest": digest, "key": key, "made_at": now}
    if insert_if_absent(connection, form_keys, fresh):
        return key
    sent = connection.execute(select(form_keys).where(_is_form(credential_id, digest))).one()
    if sent.key == repeated.key or as_utc(sent.made_at) <= repeated.made_at:  # nobody has repeated that run yet
        unchanged = and_(_is_form(credential_id, digest), form_keys.c.key == sent.key)
        connection.execute(update(form_keys).where(unchanged).values(key=key, made_at=now))
    return str(connection.execute(select(form_keys.c.key).where(_is_form(credential_id, digest))).scalar_one())


def delete_old_forms(connection: Connection, before: datetime) -> int:
    """Delete keys made before `before`."""
    return connection.execute(delete(form_keys).where(form_keys.c.made_at < before)).rowcount


def _is_form(credential_id: str, digest: str) -> ColumnElement[bool]:
    return and_(form_keys.c.credential_id == credential_id, form_keys.c.digest == digest)


KEPT = timedelta(days=30)
MOST_BYTES = 8 * 1024**2
"""A larger answer is shown, but not kept."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer, what was asked for, and when."""

    inputs: Mapping[str, Any]
    output: Any
    kept_at: datetime
    names: Mapping[str, str] = field(default_factory=dict)
    """What chosen options were called, by the name of their field."""


def keep_answer(
    connection: Connection,
    workspace: str,
    credential_id: str,
    action: str,
    digest: str,
    answer: KeptAnswer,
) -> bool:
    """Keep the answer instead of the one before; return whether it is small enough."""
    text = json.encode_clean({"inputs": answer.inputs, "output": answer.output, "names": answer.names})
    if len(text) > MOST_BYTES:
        return False
    place = {"workspace": workspace, "action": action, "digest": digest}
    values = {"credential_id": credential_id, "body": seal(connection, text.decode()), "kept_at": answer.kept_at}
    if not insert_if_absent(connection, kept_answers, place | values):
        same = and_(*(kept_answers.c[name] == value for name, value in place.items()))
        connection.execute(update(kept_answers).where(same).values(values))
    return True


def latest_answer(
    connection: Connection, workspace: str, credential_id: str, action: str, now: datetime, digest: str
) -> KeptAnswer | None:
    """Return the answer of an action with the workspace's key and the inputs of a digest."""
    wanted = (*_of(workspace, credential_id, action, now), kept_answers.c.digest == digest)
    row = connection.execute(select(kept_answers).where(*wanted)).one_or_none()
    return None if row is None else _opened(connection, row)


def list_answers(
    connection: Connection, workspace: str, credential_id: str, action: str, now: datetime, most: int
) -> list[KeptAnswer]:
    """Return the answers of an action with the workspace's key, the newest first."""
    query = select(kept_answers).where(*_of(workspace, credential_id, action, now))
    rows = connection.execute(query.order_by(kept_answers.c.kept_at.desc()).limit(most))
    return [_opened(connection, row) for row in rows]


def _of(workspace: str, credential_id: str, action: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        kept_answers.c.workspace == workspace,
        kept_answers.c.action == action,
        kept_answers.c.credential_id == credential_id,
        kept_answers.c.kept_at > now - KEPT,
    )


def _opened(connection: Connection, row: Any) -> KeptAnswer:
    body = json.decode(opened(connection, row.body))
    return KeptAnswer(body["inputs"], body["output"], as_utc(row.kept_at), body.get("names", {}))


def delete_old_answers(connection: Connection, now: datetime) -> int:
    """Delete answers that are older than they may be."""
    return connection.execute(delete(kept_answers).where(kept_answers.c.kept_at <= now - KEPT)).rowcount
