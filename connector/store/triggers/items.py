"""Items found by poll triggers, committed in one transaction with the cursor.

The transaction checks that the lease is still held, advances the cursor, stores the items and enqueues a delivery for
every subscription. After a crash before it, the poll is repeated; after a crash behind it, the deliveries continue.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, select, update

from connector.store.database import leases
from connector.store.database.leases import Lease
from connector.store.database.statements import insert_many
from connector.store.schema import cursors as cursor_rows
from connector.store.schema import items
from connector.store.triggers import cursors, deliveries, subscriptions, timeline
from connector.store.trust import sealing

MAX_ID_CHARACTERS = 200
BATCH_SIZE = 500

Item = tuple[str, str]
"""Its `_id`, and the item as JSON."""
FoundItem = tuple[str, str | bytes]
"""The same, before it is stored."""


def commit(
    connection: Connection,
    lease: Lease,
    name: str,
    old: str | None,
    new: str,
    polled: Sequence[FoundItem],
    now: datetime,
    subjects: Sequence[str | None] | None = None,
) -> bool:
    """Store what a poll found. False, with nothing stored, when the lease was lost or the cursor has moved.

    `subjects` say of each item which others it is delivered in order with.
    """
    if not leases.holds(connection, lease) or not cursors.advance(connection, lease, name, old, new):
        return False
    if not polled:
        return True
    keys = [stored_id(id) for id, _ in polled]
    subscribers = subscriptions.of_cursor(connection, name)
    known = _already_stored(connection, name, keys) if subscribers else frozenset()
    bodies = sealing.seal_each(connection, (body for _, body in polled))
    same = {"cursor_name": name, "made_at": now}
    stored = [{**same, "item_id": key, "body": body} for key, body in zip(keys, bodies, strict=True)]
    insert_many(connection, items, stored)
    rows = zip(keys, bodies, subjects or [None] * len(keys), strict=True)
    new_items = [row for row in rows if row[0] not in known] if subscribers else []
    for subscriber in subscribers:
        deliveries.enqueue_sealed(connection, subscriber.id, new_items, now)
    if new_items:
        timeline.record(connection, name, "poll.found", now, {"count": len(new_items)})
    return True


def begin_taking(connection: Connection, name: str) -> None:
    """Let whoever polls this cursor by hand get what is found from now on, until it is acknowledged."""
    newest = select(func.coalesce(func.max(items.c.id), 0)).where(items.c.cursor_name == name).scalar_subquery()
    first = and_(cursor_rows.c.name == name, cursor_rows.c.taken_item.is_(None))
    connection.execute(update(cursor_rows).where(first).values(taken_item=newest))


def untaken(connection: Connection, name: str) -> Sequence[tuple[int, str]]:
    """Return the items that were not acknowledged yet: the number of each, and its JSON."""
    rows = connection.execute(
        select(items.c.id, items.c.body)
        .join(cursor_rows, cursor_rows.c.name == items.c.cursor_name)
        .where(and_(items.c.cursor_name == name, items.c.id > cursor_rows.c.taken_item))
        .order_by(items.c.id)
    )
    return [(row.id, sealing.opened(connection, row.body)) for row in rows]


def acknowledge(connection: Connection, name: str, number: int) -> None:
    """Record that the items up to this one were received."""
    later = and_(cursor_rows.c.name == name, cursor_rows.c.taken_item < number)
    connection.execute(update(cursor_rows).where(later).values(taken_item=number))


def of_cursor(connection: Connection, name: str) -> Sequence[Item]:
    """Return all items of a cursor in the order in which they were found."""
    rows = connection.execute(
        select(items.c.item_id, items.c.body).where(items.c.cursor_name == name).order_by(items.c.id)
    )
    return [(row.item_id, sealing.opened(connection, row.body)) for row in rows]


def count_known(connection: Connection, name: str, ids: Sequence[str]) -> int:
    """Return how many of the ids are those of items that a cursor has found before."""
    return len(_already_stored(connection, name, [stored_id(id) for id in ids]))


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete items that were found before `before`. Their deliveries have their own copies."""
    return connection.execute(delete(items).where(items.c.made_at < before)).rowcount


def stored_id(id: str) -> str:
    """Return the id as stored: one too long for the column is cut and gets a digest of the whole."""
    if len(id) <= MAX_ID_CHARACTERS:
        return id
    return f"{id[:120]}~{hashlib.sha256(id.encode(errors='surrogatepass')).hexdigest()}"


def _already_stored(connection: Connection, name: str, keys: Sequence[str]) -> frozenset[str]:
    """Return those of the ids that are already stored: new subscribers do not get them."""
    stored: set[str] = set()
    for at in range(0, len(keys), BATCH_SIZE):
        some = and_(items.c.cursor_name == name, items.c.item_id.in_(keys[at : at + BATCH_SIZE]))
        stored.update(connection.execute(select(items.c.item_id).where(some)).scalars())
    return frozenset(stored)
