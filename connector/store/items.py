"""Items: what poll triggers have found. They are committed together with the cursor that moved over them.

One transaction checks that the poll is still the only one, moves the cursor, keeps the items and enters a delivery for
every subscription. Whatever dies before it has happened to nobody; whatever dies after it, the deliveries go on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, delete, select

from connector.store import cursors, deliveries, leases, subscriptions
from connector.store.leases import Lease
from connector.store.once import insert_all_new
from connector.store.schema import items

MOST_ID_CHARACTERS = 200
AT_ONCE = 500

Item = tuple[str, str]
"""Its `_id`, and the whole of it as JSON."""


def commit(
    connection: Connection, lease: Lease, name: str, old: str | None, new: str, found: Sequence[Item], now: datetime
) -> bool:
    """Keeps what a poll found. False, and nothing is kept, when the poll has been overtaken by another."""
    if not leases.holds(connection, lease, now) or not cursors.move(connection, lease, name, old, new):
        return False
    if not found:
        return True
    keyed = [(key_of(id), body) for id, body in found]
    listeners = subscriptions.of_cursor(connection, name)
    known = _known(connection, name, [key for key, _ in keyed]) if listeners else frozenset()
    insert_all_new(connection, items, {"cursor_name": name, "made_at": now}, ("item_id", "body"), keyed)
    owed = [(key, body) for key, body in keyed if key not in known]
    for listener in listeners:
        deliveries.enqueue_all(connection, listener.id, owed, now)
    return True


def of_cursor(connection: Connection, name: str) -> Sequence[Item]:
    """All items of a cursor in the order in which they were found."""
    rows = connection.execute(
        select(items.c.item_id, items.c.body).where(items.c.cursor_name == name).order_by(items.c.id)
    )
    return [(row.item_id, row.body) for row in rows]


def forget(connection: Connection, before: datetime) -> int:
    """Removes items that were found before a day long ago. Their deliveries stand for themselves."""
    return connection.execute(delete(items).where(items.c.made_at < before)).rowcount


def key_of(id: str) -> str:
    """The id as it fits the column: a very long one is cut, with a digest of the whole."""
    if len(id) <= MOST_ID_CHARACTERS:
        return id
    return f"{id[:120]}~{hashlib.sha256(id.encode(errors='surrogatepass')).hexdigest()}"


def _known(connection: Connection, name: str, keys: Sequence[str]) -> frozenset[str]:
    """Those of the ids that were found before: whoever subscribes today is not told of them again."""
    found: set[str] = set()
    for at in range(0, len(keys), AT_ONCE):
        some = and_(items.c.cursor_name == name, items.c.item_id.in_(keys[at : at + AT_ONCE]))
        found.update(connection.execute(select(items.c.item_id).where(some)).scalars())
    return frozenset(found)
