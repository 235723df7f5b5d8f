"""The queue of deliveries to each subscription, in order, and their outcome.

| state | meaning |
|---|---|
| waiting | to be sent at `next_at`, after all earlier ones are done or dead |
| done | the subscriber accepted it |
| dead | all attempts of a day failed; a person may replay it |
| ended | the subscription ended first |

Events that a hook forwards are queued here too, under the hook's `queue_id` instead of a subscription's id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, and_, delete, func, select, update

from connector.store import body_sealing, due_work
from connector.store.body_sealer import Sealed
from connector.store.insert_once import BATCH_SIZE, insert_if_absent, insert_many
from connector.store.ownership import by_subscription
from connector.store.schema import deliveries, subscriptions
from connector.store.timestamps import as_utc

State = Literal["waiting", "done", "dead", "ended"]
MAX_ERROR_CHARACTERS = 500


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
    """Enqueue an item for a subscription; False when it is already there."""
    row = {"item_id": item_id, "body": body_sealing.seal(connection, body), **_waiting_row(subscription_id, now)}
    enqueued = insert_if_absent(connection, deliveries, row)
    if enqueued:
        _tell(connection, subscription_id, now)
    return enqueued


def enqueue_sealed(
    connection: Connection, subscription_id: str, rows: Sequence[tuple[str, Sealed]], now: datetime
) -> None:
    """Enqueue many items for a subscription, each with its id and its encrypted body, in this order."""
    if rows:
        ids, bodies = zip(*rows, strict=True)
        differing = {"item_id": ids, "body": bodies}
        insert_many(connection, deliveries, _waiting_row(subscription_id, now), differing)
        _tell(connection, subscription_id, now)


def _tell(connection: Connection, queue_id: str, now: datetime) -> None:
    due_work.tell(connection, due_work.DELIVERIES, queue_id, now)


def _waiting_row(subscription_id: str, now: datetime) -> dict[str, Any]:
    return {"subscription_id": subscription_id, "state": "waiting", "attempts": 0, "next_at": now, "made_at": now}


def due_subscriptions(connection: Connection, now: datetime) -> Sequence[str]:
    """Return the active subscriptions whose oldest waiting delivery is due."""
    head = _oldest_waiting_id(subscriptions.c.id).correlate(subscriptions).scalar_subquery()
    found = (
        select(subscriptions.c.id)
        .select_from(subscriptions)
        .join(deliveries, deliveries.c.id == head)
        .where(
            and_(subscriptions.c.state == "active", subscriptions.c.paused_at.is_(None), deliveries.c.next_at <= now)
        )
        .order_by(deliveries.c.next_at)
    )
    return list(connection.execute(found).scalars())


def next_waiting(connection: Connection, queue_id: str) -> Delivery | None:
    """Return the oldest waiting delivery of a subscription or of a hook's queue."""
    row = connection.execute(
        select(deliveries).where(deliveries.c.id == _oldest_waiting_id(queue_id).scalar_subquery())
    ).one_or_none()
    return None if row is None else _delivery(connection, row)


def _oldest_waiting_id(queue_id: Any) -> Any:
    waiting = deliveries.alias()
    return select(func.min(waiting.c.id)).where(
        and_(waiting.c.subscription_id == queue_id, waiting.c.state == "waiting")
    )


def mark_delivered(connection: Connection, delivery: Delivery, status: int, now: datetime) -> None:
    """Record that the subscriber accepted the delivery."""
    _change(connection, delivery, state="done", next_at=None, last_status=status, last_error=None, done_at=now)


def mark_failed(
    connection: Connection, delivery: Delivery, status: int | None, error: str, next_at: datetime | None
) -> None:
    """Record a failed attempt. Without a next one, the delivery is dead."""
    state = "waiting" if next_at else "dead"
    _change(
        connection, delivery, state=state, next_at=next_at, last_status=status, last_error=error[:MAX_ERROR_CHARACTERS]
    )


def mark_gone(connection: Connection, delivery: Delivery, status: int) -> None:
    """Record that the subscriber is gone: end this delivery and all that wait behind it."""
    _change(connection, delivery, state="ended", next_at=None, last_status=status)
    end_waiting(connection, delivery.subscription_id)


def end_waiting(connection: Connection, queue_id: str) -> None:
    """End all waiting deliveries of a subscription that has ended."""
    waiting = and_(deliveries.c.subscription_id == queue_id, deliveries.c.state == "waiting")
    connection.execute(update(deliveries).where(waiting).values(state="ended", next_at=None))
    due_work.forget(connection, due_work.DELIVERIES, queue_id)


def replay(connection: Connection, workspace: str | None, delivery_id: int, now: datetime) -> bool:
    """Enqueue a delivery of a workspace again; False when there is none, or it is still waiting."""
    own = by_subscription(deliveries.c.subscription_id, workspace)
    idle = and_(deliveries.c.id == delivery_id, deliveries.c.state != "waiting", own)
    change = update(deliveries).where(idle).values(state="waiting", attempts=0, next_at=now, done_at=None)
    queue_id = connection.execute(change.returning(deliveries.c.subscription_id)).scalar_one_or_none()
    if queue_id is None:
        return False
    _tell(connection, queue_id, now)
    return True


def move_queue(connection: Connection, former: str, queue_id: str, now: datetime) -> None:
    """Move what waits in one queue to another."""
    if former != queue_id:
        waiting = and_(deliveries.c.subscription_id == former, deliveries.c.state == "waiting")
        connection.execute(update(deliveries).where(waiting).values(subscription_id=queue_id))
        due_work.forget(connection, due_work.DELIVERIES, former)
        _tell(connection, queue_id, now)


def try_now(connection: Connection, queue_id: str, now: datetime) -> bool:
    """Make the oldest waiting delivery of a queue due now, with a new series of attempts; False when none waits."""
    head = next_waiting(connection, queue_id)
    if head is not None:
        mine = and_(deliveries.c.id == head.id, deliveries.c.state == "waiting")
        connection.execute(update(deliveries).where(mine).values(next_at=now, attempts=0))
    _tell(connection, queue_id, now)
    return head is not None


def count_waiting(connection: Connection, queue_id: str) -> int:
    """Return how many deliveries of a queue wait."""
    waiting = and_(deliveries.c.subscription_id == queue_id, deliveries.c.state == "waiting")
    return int(connection.execute(select(func.count()).select_from(deliveries).where(waiting)).scalar_one())


def latest_finished(connection: Connection, queue_id: str) -> Delivery | None:
    """Return the newest delivery of a queue that was accepted or given up."""
    finished = and_(deliveries.c.subscription_id == queue_id, deliveries.c.state.in_(("done", "dead")))
    found = select(deliveries).where(finished).order_by(deliveries.c.id.desc()).limit(1)
    row = connection.execute(found).one_or_none()
    return None if row is None else _delivery(connection, row)


def scheduled_after(connection: Connection, moment: datetime) -> Sequence[Delivery]:
    """Return the waiting deliveries whose next attempt is after a moment."""
    ahead = and_(deliveries.c.state == "waiting", deliveries.c.next_at > moment)
    return [_delivery(connection, row) for row in connection.execute(select(deliveries).where(ahead))]


def make_due(connection: Connection, ids: Sequence[int], now: datetime) -> None:
    """Make waiting deliveries due now."""
    for at in range(0, len(ids), BATCH_SIZE):
        some = and_(deliveries.c.id.in_(ids[at : at + BATCH_SIZE]), deliveries.c.state == "waiting")
        due = update(deliveries).where(some).values(next_at=now).returning(deliveries.c.subscription_id)
        due_work.tell_each(connection, due_work.DELIVERIES, connection.execute(due).scalars().all(), now)


def find(connection: Connection, workspace: str | None, delivery_id: int) -> Delivery | None:
    """Return one delivery of a workspace; with None of any."""
    own = by_subscription(deliveries.c.subscription_id, workspace)
    row = connection.execute(select(deliveries).where(deliveries.c.id == delivery_id, own)).one_or_none()
    return None if row is None else _delivery(connection, row)


def listed(connection: Connection, workspace: str | None, subscription_id: str, limit: int = 100) -> Sequence[Delivery]:
    """Return the deliveries of a subscription, latest first, if it belongs to the workspace; with None of any."""
    own = by_subscription(deliveries.c.subscription_id, workspace)
    mine = and_(deliveries.c.subscription_id == subscription_id, own)
    rows = connection.execute(select(deliveries).where(mine).order_by(deliveries.c.id.desc()).limit(limit))
    return [_delivery(connection, row) for row in rows]


def dead_letters(connection: Connection, workspace: str | None, limit: int = 100) -> Sequence[Delivery]:
    """Return the dead deliveries of a workspace, latest first; with None of all."""
    dead = and_(deliveries.c.state == "dead", by_subscription(deliveries.c.subscription_id, workspace))
    rows = connection.execute(select(deliveries).where(dead).order_by(deliveries.c.id.desc()).limit(limit))
    return [_delivery(connection, row) for row in rows]


def failing(connection: Connection, workspace: str) -> Sequence[Delivery]:
    """Return for each subscription of a workspace the delivery that is held up by failures."""
    waiting = and_(deliveries.c.state == "waiting", by_subscription(deliveries.c.subscription_id, workspace))
    heads = select(func.min(deliveries.c.id)).where(waiting).group_by(deliveries.c.subscription_id)
    held_up = and_(deliveries.c.id.in_(heads), deliveries.c.attempts > 0)
    return [_delivery(connection, row) for row in connection.execute(select(deliveries).where(held_up).limit(100))]


def _change(connection: Connection, delivery: Delivery, **values: Any) -> None:
    # Only while it is still waiting: an outcome recorded by another host stays.
    mine = and_(deliveries.c.id == delivery.id, deliveries.c.state == "waiting")
    connection.execute(update(deliveries).where(mine).values(attempts=delivery.attempts + 1, **values))


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete finished deliveries that were made before `before`."""
    past = and_(deliveries.c.state != "waiting", deliveries.c.made_at < before)
    return connection.execute(delete(deliveries).where(past)).rowcount


def _delivery(connection: Connection, row: Row[Any]) -> Delivery:
    return Delivery(
        row.id,
        row.subscription_id,
        row.item_id,
        body_sealing.opened(connection, row.body),
        row.state,
        row.attempts,
        as_utc(row.next_at),
        row.last_status,
        row.last_error,
        as_utc(row.made_at),
        as_utc(row.done_at),
    )
