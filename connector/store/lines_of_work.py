"""The lines of work of one credential, and all lines that are due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, and_, func, or_, select

from connector.store import hooks
from connector.store.due_work import EVENTS, OF_QUEUE, POLLS, RECONCILIATIONS, WEBHOOK_URLS
from connector.store.hooks import FORWARDS, QUEUE
from connector.store.schema import due_work, subscriptions
from connector.store.schema import hooks as hooks_table
from connector.store.timestamps import as_utc

OF_CREDENTIAL = (POLLS, EVENTS, WEBHOOK_URLS, RECONCILIATIONS)
"""Kinds whose key is a credential's id."""
KINDS = (*OF_CREDENTIAL, *OF_QUEUE)


class PlannedLine(NamedTuple):
    """A kind and a key, and when it is due."""

    kind: str
    key: str
    at: datetime


class DueLine(NamedTuple):
    """A kind and a key that is due, and the credential that it needs: another one after news, or when due again."""

    credential_id: str
    kind: str
    key: str
    told: int
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
        and_(due_work.c.kind.in_(OF_QUEUE), due_work.c.key.in_(queues)),
    )
    planned = select(due_work.c.kind, due_work.c.key, due_work.c.at).where(mine, due_work.c.at.is_not(None))
    rows = connection.execute(planned.order_by(due_work.c.at))
    return [PlannedLine(row.kind, row.key, as_utc(row.at)) for row in rows]


def all_due(connection: Connection, now: datetime, most: int) -> list[DueLine]:
    """Return, of each kind, up to `most` lines that are due and at which nobody works, longest overdue first."""
    of_credential = select(due_work.c.key.label("credential_id"), due_work)
    queries = (*(of_credential.where(due_work.c.kind == kind) for kind in OF_CREDENTIAL), *map(_deliveries, OF_QUEUE))
    return [
        DueLine(row.credential_id, row.kind, row.key, row.told, as_utc(row.at))
        for query in queries
        for row in connection.execute(query.where(due_work.c.at <= now).order_by(due_work.c.at).limit(most))
    ]


def _deliveries(kind: str) -> Select[Any]:
    """Select the queues of subscriptions and of hooks that forward; others have no credential that could serve them."""
    credential_id = func.coalesce(subscriptions.c.credential_id, hooks_table.c.credential_id)
    token = func.substr(due_work.c.key, len(QUEUE) + 1)  # the beginning of a digest, which is hexadecimal
    forwarding = and_(
        due_work.c.key.startswith(QUEUE),
        and_(hooks_table.c.token_digest >= token, hooks_table.c.token_digest < token + "g"),
        FORWARDS,
    )
    joined = due_work.outerjoin(subscriptions, subscriptions.c.id == due_work.c.key).outerjoin(hooks_table, forwarding)
    lines = select(credential_id.label("credential_id"), due_work).select_from(joined)
    return lines.where(due_work.c.kind == kind, credential_id.is_not(None))
