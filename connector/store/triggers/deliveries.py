"""The queue of deliveries to each subscription, and their outcome.

| state | meaning |
|---|---|
| waiting | to be sent at `next_at`; with a subject, after all earlier ones of the same subject are done or dead |
| done | the subscriber accepted it |
| dead | all attempts of a day failed; a person may replay it |
| ended | the subscription ended first |

Events that a hook forwards are queued here too, under the hook's `queue_id` instead of a subscription's id.

A delivery that failed waits for its own next attempt, and the others go on. A target that fails again and again, or
does not answer at all, lets its whole queue rest; then a single delivery tries whether it is well again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, exists, func, or_, select, update

from connector.store.database.statements import as_utc, insert_if_absent, insert_into, insert_many
from connector.store.schema import deliveries, delivery_queues, subscriptions
from connector.store.triggers import due_work
from connector.store.triggers.subscriptions import TO_TRIGGERS, by_credential, by_subscription
from connector.store.trust import sealing
from connector.store.trust.sealing import Sealed

State = Literal["waiting", "done", "dead", "ended"]
MAX_ERROR_CHARACTERS = 500
BATCH_SIZE = 500


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


@dataclass(frozen=True, slots=True)
class Queue:
    """How the target of a queue has fared since it last accepted a delivery."""

    failures: int = 0
    """How many attempts have failed in a row."""
    slow: bool = False
    """Whether it let an attempt wait for an answer in vain."""
    rests_until: datetime | None = None
    """Nothing is sent before."""


def enqueue(
    connection: Connection, subscription_id: str, item_id: str, body: str, now: datetime, subject: str | None = None
) -> bool:
    """Enqueue an item for a subscription, in order with the others of its subject; False when it is already there."""
    sealed = sealing.seal(connection, body)
    row = {"item_id": item_id, "body": sealed, "subject": subject, **_waiting_row(subscription_id, now)}
    enqueued = insert_if_absent(connection, deliveries, row)
    if enqueued:
        _notify(connection, subscription_id, now)
    return enqueued


def enqueue_sealed(
    connection: Connection, subscription_id: str, rows: Sequence[tuple[str, Sealed, str | None]], now: datetime
) -> None:
    """Enqueue many items for a subscription, each with its id, its encrypted body and its subject, in this order."""
    if rows:
        same = _waiting_row(subscription_id, now)
        waiting = [{**same, "item_id": id, "body": body, "subject": subject} for id, body, subject in rows]
        insert_many(connection, deliveries, waiting)
        _notify(connection, subscription_id, now)


def _notify(connection: Connection, queue_id: str, now: datetime) -> None:
    due_work.schedule(connection, due_work.DELIVERIES, queue_id, now)


def _forget_work(connection: Connection, queue_id: str) -> None:
    for kind in due_work.OF_QUEUE:
        due_work.forget(connection, kind, queue_id)


def _waiting_row(subscription_id: str, now: datetime) -> dict[str, Any]:
    return {"subscription_id": subscription_id, "state": "waiting", "attempts": 0, "next_at": now, "made_at": now}


def next_due(connection: Connection, queue_id: str, now: datetime, besides: Collection[int] = ()) -> Delivery | None:
    """Return the oldest delivery of a queue that may be sent now, besides those that are being sent."""
    due = and_(deliveries.c.subscription_id == queue_id, may_be_sent(), deliveries.c.next_at <= now)
    free = due if not besides else and_(due, deliveries.c.id.not_in(besides))
    row = connection.execute(select(deliveries).where(free).order_by(deliveries.c.id).limit(1)).one_or_none()
    return None if row is None else _delivery(connection, row)


def next_time(connection: Connection, queue_id: str) -> datetime | None:
    """Return when a delivery of a queue may next be sent; None when none waits."""
    mine = and_(deliveries.c.subscription_id == queue_id, may_be_sent())
    due: datetime | None = as_utc(connection.execute(select(func.min(deliveries.c.next_at)).where(mine)).scalar_one())
    rests_until = queue_of(connection, queue_id).rests_until
    return max(due, rests_until) if due is not None and rests_until is not None else due


def may_be_sent() -> ColumnElement[bool]:
    """Whether a delivery waits, and none of its subject waits before it."""
    earlier = deliveries.alias()
    same_subject = and_(
        earlier.c.subscription_id == deliveries.c.subscription_id,
        earlier.c.subject == deliveries.c.subject,
        earlier.c.state == "waiting",
        earlier.c.id < deliveries.c.id,
    )
    blocked = exists().where(same_subject).correlate(deliveries)
    return and_(deliveries.c.state == "waiting", or_(deliveries.c.subject.is_(None), ~blocked))


def queue_of(connection: Connection, queue_id: str) -> Queue:
    """Return how the target of a queue has fared."""
    row = connection.execute(select(delivery_queues).where(delivery_queues.c.queue_id == queue_id)).one_or_none()
    return Queue() if row is None else Queue(row.failures, row.slow, as_utc(row.rests_until))


def record_queue(connection: Connection, queue_id: str, queue: Queue) -> None:
    """Record how the target of a queue has fared."""
    values = {"failures": queue.failures, "slow": queue.slow, "rests_until": queue.rests_until}
    changed = insert_into(delivery_queues, connection.dialect.name).values(queue_id=queue_id, **values)
    connection.execute(changed.on_conflict_do_update(index_elements=["queue_id"], set_=values))


def forget_failures(connection: Connection, queue_id: str) -> None:
    """Record that the target of a queue is well, or to be tried like one that is."""
    connection.execute(delete(delivery_queues).where(delivery_queues.c.queue_id == queue_id))


def end_rests(connection: Connection, after: datetime, now: datetime) -> int:
    """End the rests that last longer than until `after`, as only a wrong clock can have planned; return how many."""
    wrong = delivery_queues.c.rests_until > after
    ended = update(delivery_queues).where(wrong).values(rests_until=now).returning(delivery_queues.c.queue_id)
    queues = connection.execute(ended).scalars().all()
    due_work.schedule_each(connection, due_work.DELIVERIES, queues, now)
    return len(queues)


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
    forget_failures(connection, queue_id)
    _forget_work(connection, queue_id)


def replay(connection: Connection, workspace: str | None, delivery_id: int, now: datetime) -> bool:
    """Enqueue a delivery of a workspace again; False when there is none, or it is still waiting."""
    own = by_subscription(deliveries.c.subscription_id, workspace)
    idle = and_(deliveries.c.id == delivery_id, deliveries.c.state != "waiting", own)
    change = update(deliveries).where(idle).values(state="waiting", attempts=0, next_at=now, done_at=None)
    queue_id = connection.execute(change.returning(deliveries.c.subscription_id)).scalar_one_or_none()
    if queue_id is None:
        return False
    _notify(connection, queue_id, now)
    return True


def move_queue(connection: Connection, former: str, queue_id: str, now: datetime) -> None:
    """Move what waits in one queue to another."""
    if former != queue_id:
        waiting = and_(deliveries.c.subscription_id == former, deliveries.c.state == "waiting")
        connection.execute(update(deliveries).where(waiting).values(subscription_id=queue_id))
        forget_failures(connection, former)
        _forget_work(connection, former)
        _notify(connection, queue_id, now)


def try_now(connection: Connection, queue_id: str, now: datetime) -> bool:
    """Make all that waits in a queue due now, with a new series of attempts; False when nothing waits."""
    waiting = and_(deliveries.c.subscription_id == queue_id, deliveries.c.state == "waiting")
    changed = connection.execute(update(deliveries).where(waiting).values(next_at=now, attempts=0)).rowcount
    forget_failures(connection, queue_id)
    _notify(connection, queue_id, now)
    return changed > 0


def count_waiting(connection: Connection, queue_id: str) -> int:
    """Return how many deliveries of a queue wait."""
    waiting = and_(deliveries.c.subscription_id == queue_id, deliveries.c.state == "waiting")
    return int(connection.execute(select(func.count()).select_from(deliveries).where(waiting)).scalar_one())


def latest_finished(connection: Connection, queue_id: str) -> Delivery | None:
    """Return the newest delivery of a queue that was accepted or given up."""
    finished = and_(deliveries.c.subscription_id == queue_id, deliveries.c.state.in_(("done", "dead")))
    latest = select(deliveries).where(finished).order_by(deliveries.c.id.desc()).limit(1)
    row = connection.execute(latest).one_or_none()
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
        due_work.schedule_each(connection, due_work.DELIVERIES, connection.execute(due).scalars().all(), now)


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


def newest(connection: Connection, workspace: str, limit: int) -> list[tuple[Delivery, str]]:
    """Return the latest deliveries of a workspace's triggers, each with its trigger's id."""
    own = and_(TO_TRIGGERS, by_credential(subscriptions.c.credential_id, workspace))
    joined = deliveries.join(subscriptions, subscriptions.c.id == deliveries.c.subscription_id)
    query = select(deliveries, subscriptions.c.trigger).select_from(joined).where(own)
    rows = connection.execute(query.order_by(deliveries.c.id.desc()).limit(limit))
    return [(_delivery(connection, row), str(row.trigger)) for row in rows]


def dead_letters(connection: Connection, workspace: str | None, limit: int = 100) -> Sequence[Delivery]:
    """Return the dead deliveries of a workspace, latest first; with None of all."""
    dead = and_(deliveries.c.state == "dead", by_subscription(deliveries.c.subscription_id, workspace))
    rows = connection.execute(select(deliveries).where(dead).order_by(deliveries.c.id.desc()).limit(limit))
    return [_delivery(connection, row) for row in rows]


def failing_queues(connection: Connection, workspace: str) -> set[str]:
    """Return the active subscriptions of a workspace of which a delivery has failed and is tried again, or is dead."""
    own = and_(subscriptions.c.state == "active", by_credential(subscriptions.c.credential_id, workspace))
    mine = deliveries.c.subscription_id == subscriptions.c.id
    tried = exists().where(mine, deliveries.c.state == "waiting", deliveries.c.attempts > 0)
    dead = exists().where(mine, deliveries.c.state == "dead")
    return set(connection.execute(select(subscriptions.c.id).where(own, or_(tried, dead))).scalars())


def count_dead(connection: Connection, queue_id: str, since: datetime) -> tuple[int, datetime | None]:
    """Return how many deliveries of a queue that were made since then were given up, and when the oldest was made."""
    dead = and_(deliveries.c.subscription_id == queue_id, deliveries.c.state == "dead", deliveries.c.made_at >= since)
    count, oldest = connection.execute(select(func.count(), func.min(deliveries.c.made_at)).where(dead)).one()
    return int(count), as_utc(oldest)


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
        sealing.opened(connection, row.body),
        row.state,
        row.attempts,
        as_utc(row.next_at),
        row.last_status,
        row.last_error,
        as_utc(row.made_at),
        as_utc(row.done_at),
    )
