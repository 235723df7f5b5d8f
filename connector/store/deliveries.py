"""Deliveries: what each subscription is owed, in the order in which it happened, and what became of it.

| state | meaning |
|---|---|
| waiting | to be sent at `next_at`, once everything before it is done or dead |
| done | the subscriber has taken it |
| dead | a day of attempts was in vain; a person may replay it |
| ended | the subscription ended first |

The events that a hook passes on stand here too, under the hook's own line in place of a subscription's id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, and_, delete, func, select, update

from connector.store.moments import aware
from connector.store.once import insert_all_new, insert_new
from connector.store.schema import deliveries, subscriptions

State = Literal["waiting", "done", "dead", "ended"]
MOST_ERROR = 500


@dataclass(frozen=True, slots=True)
class Delivery:
    """One item on its way to one subscriber."""

    id: int
    subscription_id: str
    item_id: str
    body: str
    state: State
    attempts: int
    next_at: datetime | None
    last_status: int | None
    last_error: str | None
    made_at: datetime
    done_at: datetime | None


def enqueue(connection: Connection, subscription_id: str, item_id: str, body: str, now: datetime) -> bool:
    """Owes a subscription an item; False when it is already there. A step of somebody's transaction."""
    return insert_new(connection, deliveries, {"item_id": item_id, "body": body, **_owed(subscription_id, now)})


def enqueue_all(connection: Connection, subscription_id: str, owed: Sequence[tuple[str, str]], now: datetime) -> None:
    """Owes a subscription many items at once, each with its id and body, in this order."""
    insert_all_new(connection, deliveries, _owed(subscription_id, now), ("item_id", "body"), owed)


def _owed(subscription_id: str, now: datetime) -> dict[str, Any]:
    return {"subscription_id": subscription_id, "state": "waiting", "attempts": 0, "next_at": now, "made_at": now}


def due_subscriptions(connection: Connection, now: datetime) -> Sequence[str]:
    """The active subscriptions whose oldest waiting delivery is due."""
    head = _head_of(subscriptions.c.id).correlate(subscriptions).scalar_subquery()
    found = (
        select(subscriptions.c.id)
        .select_from(subscriptions)
        .join(deliveries, deliveries.c.id == head)
        .where(and_(subscriptions.c.state == "active", deliveries.c.next_at <= now))
        .order_by(deliveries.c.next_at)
    )
    return list(connection.execute(found).scalars())


def next_of(connection: Connection, line: str) -> Delivery | None:
    """The oldest waiting delivery of a subscription, or of a hook's line."""
    row = connection.execute(
        select(deliveries).where(deliveries.c.id == _head_of(line).scalar_subquery())
    ).one_or_none()
    return None if row is None else _delivery(row)


def _head_of(line: Any) -> Any:
    waiting = deliveries.alias()
    return select(func.min(waiting.c.id)).where(and_(waiting.c.subscription_id == line, waiting.c.state == "waiting"))


def taken(connection: Connection, delivery: Delivery, status: int, now: datetime) -> None:
    """The subscriber has answered with a success."""
    _change(connection, delivery, state="done", next_at=None, last_status=status, last_error=None, done_at=now)


def failed(
    connection: Connection, delivery: Delivery, status: int | None, error: str, next_at: datetime | None
) -> None:
    """An attempt was in vain. Without a next one, the delivery is dead."""
    state = "waiting" if next_at else "dead"
    _change(connection, delivery, state=state, next_at=next_at, last_status=status, last_error=error[:MOST_ERROR])


def refused(connection: Connection, delivery: Delivery, status: int) -> None:
    """The subscriber wants nothing more: neither this one nor what waits behind it."""
    _change(connection, delivery, state="ended", next_at=None, last_status=status)
    end_waiting(connection, delivery.subscription_id)


def end_waiting(connection: Connection, line: str) -> None:
    """Nothing more is sent to a subscription that has ended."""
    waiting = and_(deliveries.c.subscription_id == line, deliveries.c.state == "waiting")
    connection.execute(update(deliveries).where(waiting).values(state="ended", next_at=None))


def replay(connection: Connection, delivery_id: int, now: datetime) -> bool:
    """Sends a delivery again from the start; False when there is none, or it is on its way anyway."""
    idle = and_(deliveries.c.id == delivery_id, deliveries.c.state != "waiting")
    change = update(deliveries).where(idle).values(state="waiting", attempts=0, next_at=now, done_at=None)
    return connection.execute(change).rowcount == 1


def get(connection: Connection, delivery_id: int) -> Delivery | None:
    """One delivery."""
    row = connection.execute(select(deliveries).where(deliveries.c.id == delivery_id)).one_or_none()
    return None if row is None else _delivery(row)


def listed(connection: Connection, subscription_id: str, limit: int = 100) -> Sequence[Delivery]:
    """The latest deliveries of a subscription first, for people."""
    mine = deliveries.c.subscription_id == subscription_id
    rows = connection.execute(select(deliveries).where(mine).order_by(deliveries.c.id.desc()).limit(limit))
    return [_delivery(row) for row in rows]


def dead(connection: Connection, limit: int = 100) -> Sequence[Delivery]:
    """The dead letters, the latest first."""
    rows = connection.execute(
        select(deliveries).where(deliveries.c.state == "dead").order_by(deliveries.c.id.desc()).limit(limit)
    )
    return [_delivery(row) for row in rows]


def _change(connection: Connection, delivery: Delivery, **values: Any) -> None:
    # Only while it still waits: what another host has settled meanwhile stays settled.
    mine = and_(deliveries.c.id == delivery.id, deliveries.c.state == "waiting")
    connection.execute(update(deliveries).where(mine).values(attempts=delivery.attempts + 1, **values))


def forget(connection: Connection, before: datetime) -> int:
    """Removes deliveries that wait for nothing more, and were made before a day long ago."""
    past = and_(deliveries.c.state != "waiting", deliveries.c.made_at < before)
    return connection.execute(delete(deliveries).where(past)).rowcount


def _delivery(row: Row[Any]) -> Delivery:
    return Delivery(
        row.id,
        row.subscription_id,
        row.item_id,
        row.body,
        row.state,
        row.attempts,
        aware(row.next_at),
        row.last_status,
        row.last_error,
        aware(row.made_at),
        aware(row.done_at),
    )
