"""Finds work that is due or overdue: of one credential, of all, and of which nobody was told.

Finds overdue work of which nobody was told, and tells it.

A host of the version before writes events, deliveries and cursors without telling, and a clock that was corrected makes
due what was planned for later. Each query reads only what is overdue, by an index.

The lines of work of one credential, and all lines that are due.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select, update

from connector.store.database.statements import as_utc
from connector.store.schema import credentials, cursors, deliveries, delivery_queues, events, subscriptions
from connector.store.schema import due_work as due_table
from connector.store.schema import hooks as hooks_table
from connector.store.triggers import due_work, hooks
from connector.store.triggers.deliveries import may_be_sent
from connector.store.triggers.due_work import BANK_STATES, EVENTS, OF_QUEUE, POLLS, RECONCILIATIONS, WEBHOOK_URLS
from connector.store.triggers.hooks import FORWARDS, QUEUE
from connector.store.triggers.subscriptions import TO_TRIGGERS

MAX_FOUND = 1000


def notify_overdue(connection: Connection, before: datetime, now: datetime, webhook_urls: timedelta) -> int:
    """Tell what was due before then and is not planned for now; return how many keys.

    `webhook_urls` is how often webhook URLs are checked.
    """
    queries: tuple[tuple[str, Select[Any]], ...] = (
        (due_work.POLLS, _polls(before, now)),
        (due_work.EVENTS, _events(before, now)),
        (due_work.DELIVERIES, _overdue_deliveries(before)),
        (due_work.DELIVERIES, _misplanned_deliveries(before, now)),
        (due_work.WEBHOOK_URLS, _webhook_urls(before - webhook_urls, now)),
    )
    overdue: dict[str, set[str]] = defaultdict(set)
    for kind, query in queries:
        overdue[kind].update(connection.execute(query.distinct().limit(MAX_FOUND)).scalars())
    for kind in sorted(overdue):  # in the order of the primary key, see `due_work`
        due_work.schedule_each(connection, kind, overdue[kind], now)
    return sum(map(len, overdue.values())) + _unschedule_orphans(connection, before)


def notify_listeners(connection: Connection, now: datetime) -> int:
    """Tell the reconciliation of credentials with event subscriptions that have none; this reads all of these."""
    listening = and_(subscriptions.c.state == "active", subscriptions.c.cursor_name.is_(None), TO_TRIGGERS)
    missing = ~_planned(due_work.RECONCILIATIONS, subscriptions.c.credential_id)
    query = select(subscriptions.c.credential_id).where(listening, missing).distinct()
    keys = connection.execute(query).scalars().all()
    due_work.schedule_each(connection, due_work.RECONCILIATIONS, keys, now)
    return len(keys)


def _polls(before: datetime, now: datetime) -> Select[tuple[str]]:
    overdue = select(cursors.c.credential).where(cursors.c.next_at <= before)
    ids = select(credentials.c.id).where(credentials.c.fingerprint.in_(overdue))
    return ids.where(~_planned(due_work.POLLS, credentials.c.id, now))


def _unschedule_orphans(connection: Connection, before: datetime) -> int:
    """Stop polling overdue cursors whose API key is not kept, so that nobody can poll them."""
    has_credential = exists().where(credentials.c.fingerprint == cursors.c.credential)
    orphans = and_(cursors.c.next_at <= before, ~has_credential)
    return connection.execute(update(cursors).where(orphans).values(next_at=None)).rowcount


def _events(before: datetime, now: datetime) -> Select[tuple[str]]:
    overdue = and_(events.c.state == "new", events.c.next_at <= before)
    return select(events.c.credential_id).where(overdue, ~_planned(due_work.EVENTS, events.c.credential_id, now))


def _overdue_deliveries(before: datetime) -> Select[tuple[str]]:
    # A queue that rests, or waits for the next attempt of a subject, is planned for then, whatever is behind it.
    overdue = and_(deliveries.c.state == "waiting", deliveries.c.next_at <= before)
    planned = or_(*(_planned(kind, deliveries.c.subscription_id) for kind in due_work.OF_QUEUE))
    return select(deliveries.c.subscription_id).where(overdue, ~planned)


def _misplanned_deliveries(before: datetime, now: datetime) -> Select[tuple[str]]:
    """Queues that are planned for later than one of their deliveries, by a host whose clock was ahead."""
    due = exists().where(deliveries.c.subscription_id == due_table.c.key, may_be_sent(), deliveries.c.next_at <= before)
    later = and_(due_table.c.kind.in_(due_work.OF_QUEUE), due_table.c.at > now, due_table.c.owner == due_work.FREE)
    paused = exists().where(subscriptions.c.id == due_table.c.key, subscriptions.c.paused_at.is_not(None))
    rests = exists().where(delivery_queues.c.queue_id == due_table.c.key, delivery_queues.c.rests_until > before)
    return select(due_table.c.key).where(later, due, ~paused, ~rests)


def _webhook_urls(before: datetime, now: datetime) -> Select[tuple[str]]:
    overdue = or_(hooks_table.c.checked_at.is_(None), hooks_table.c.checked_at <= before)
    unplanned = ~_planned(due_work.WEBHOOK_URLS, hooks_table.c.credential_id, now)
    return select(hooks_table.c.credential_id).where(hooks_table.c.state.in_(("active", "drifted")), overdue, unplanned)


def _planned(kind: str, key: ColumnElement[str], now: datetime | None = None) -> ColumnElement[bool]:
    """Whether somebody works at the key, or it is planned, at the latest for `now`."""
    in_time = due_table.c.at.is_not(None) if now is None else due_table.c.at <= now
    busy = due_table.c.owner != due_work.FREE
    return exists().where(due_table.c.kind == kind, due_table.c.key == key, or_(busy, in_time))


OF_CREDENTIAL = (POLLS, EVENTS, WEBHOOK_URLS, RECONCILIATIONS, BANK_STATES)
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
    version: int
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
        and_(due_table.c.kind.in_(OF_CREDENTIAL), due_table.c.key == credential_id),
        and_(due_table.c.kind.in_(OF_QUEUE), due_table.c.key.in_(queues)),
    )
    planned = select(due_table.c.kind, due_table.c.key, due_table.c.at).where(mine, due_table.c.at.is_not(None))
    rows = connection.execute(planned.order_by(due_table.c.at))
    return [PlannedLine(row.kind, row.key, as_utc(row.at)) for row in rows]


def all_due(connection: Connection, now: datetime, most: int) -> list[DueLine]:
    """Return, of each kind, up to `most` lines that are due and at which nobody works, longest overdue first."""
    of_credential = select(due_table.c.key.label("credential_id"), due_table)
    queries = (
        *(of_credential.where(due_table.c.kind == kind) for kind in OF_CREDENTIAL),
        *map(_due_deliveries, OF_QUEUE),
    )
    return [
        DueLine(row.credential_id, row.kind, row.key, row.told, as_utc(row.at))
        for query in queries
        for row in connection.execute(query.where(due_table.c.at <= now).order_by(due_table.c.at).limit(most))
    ]


def _due_deliveries(kind: str) -> Select[Any]:
    """Select the queues of subscriptions and of hooks that forward; others have no credential that could serve them."""
    credential_id = func.coalesce(subscriptions.c.credential_id, hooks_table.c.credential_id)
    token = func.substr(due_table.c.key, len(QUEUE) + 1)  # the beginning of a digest, which is hexadecimal
    forwarding = and_(
        due_table.c.key.startswith(QUEUE),
        and_(hooks_table.c.token_digest >= token, hooks_table.c.token_digest < token + "g"),
        FORWARDS,
    )
    joined = due_table.outerjoin(subscriptions, subscriptions.c.id == due_table.c.key).outerjoin(
        hooks_table, forwarding
    )
    lines = select(credential_id.label("credential_id"), due_table).select_from(joined)
    return lines.where(due_table.c.kind == kind, credential_id.is_not(None))
