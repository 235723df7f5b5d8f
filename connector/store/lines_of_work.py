"""The lines of work of one credential, and the credentials with work that is due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from connector.store import hooks
from connector.store.due_work import DELIVERIES, EVENTS, POLLS, RECONCILIATIONS, WEBHOOK_URLS
from connector.store.hooks import QUEUE
from connector.store.schema import due_work, subscriptions
from connector.store.timestamps import as_utc

OF_CREDENTIAL = (POLLS, EVENTS, WEBHOOK_URLS, RECONCILIATIONS)
"""Kinds whose key is a credential's id."""


class PlannedLine(NamedTuple):
    """A kind and a key, and when it is due."""

    kind: str
    key: str
    at: datetime


def of_credential(connection: Connection, credential_id: str) -> Sequence[PlannedLine]:
    """Return what is planned for a credential; of what somebody works at, when its claim ends."""
    queues: list[str] = list(
        connection.execute(select(subscriptions.c.id).where(subscriptions.c.credential_id == credential_id)).scalars()
    )
    hook = hooks.of_credential(connection, credential_id)
    if hook is not None:
        queues.append(hook.queue_id)
    mine = or_(
        and_(due_work.c.kind.in_(OF_CREDENTIAL), due_work.c.key == credential_id),
        and_(due_work.c.kind == DELIVERIES, due_work.c.key.in_(queues)),
    )
    return _lines(connection, and_(mine, due_work.c.at.is_not(None)), None)


def credentials_due(connection: Connection, now: datetime, most: int) -> list[str]:
    """Return the credentials with lines that are due and at which nobody works, longest overdue first."""
    kinds = (*OF_CREDENTIAL, DELIVERIES)
    due = [line for kind in kinds for line in _lines(connection, _due(kind, now), most)]
    found: dict[str, None] = {}
    for line in sorted(due, key=lambda line: line.at):
        id = line.key if line.kind != DELIVERIES else _credential_of(connection, line.key)
        if id is not None:
            found[id] = None
    return list(found)[:most]


def _credential_of(connection: Connection, queue_id: str) -> str | None:
    if queue_id.startswith(QUEUE):
        hook = hooks.forwarding(connection, queue_id)
        return None if hook is None else hook.credential_id
    mine = select(subscriptions.c.credential_id).where(subscriptions.c.id == queue_id)
    return connection.execute(mine).scalar_one_or_none()


def _due(kind: str, now: datetime) -> ColumnElement[bool]:
    return and_(due_work.c.kind == kind, due_work.c.at <= now)


def _lines(connection: Connection, which: ColumnElement[bool], most: int | None) -> list[PlannedLine]:
    rows = connection.execute(
        select(due_work.c.kind, due_work.c.key, due_work.c.at).where(which).order_by(due_work.c.at).limit(most)
    )
    return [PlannedLine(row.kind, row.key, as_utc(row.at)) for row in rows]
