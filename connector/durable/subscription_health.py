"""Says how a subscription fares: whether its deliveries arrive, its polls work and the service's events come here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection

from connector.core.manifest.model import Trigger
from connector.core.messages import Text, quote, say
from connector.durable.outbox.reasons import is_known, reason_text
from connector.store import cursors, deliveries, hooks, subscriptions
from connector.store.cursors import StoredCursor
from connector.store.deliveries import Delivery
from connector.store.hooks import Hook
from connector.store.subscriptions import Subscription

UNREACHABLE = ("ConnectError", "gaierror")
"""How the sender begins what it says of an address where nobody listens."""
BROKEN_OFF = ("ReadError", "WriteError", "RemoteProtocolError")
"""How it begins what it says of a connection that ended before the answer."""
State = Literal["active", "failing", "paused", "ended"]


@dataclass(frozen=True, slots=True)
class Health:
    """How a subscription fares."""

    state: State
    reason: Text | None = None
    """Why it fails, also while it is paused."""
    next_try: datetime | None = None
    """When what failed is tried again; None: a person must do something first."""
    waiting: int = 0
    """How many deliveries wait."""
    next_poll: datetime | None = None
    last_poll: datetime | None = None
    delivered_at: datetime | None = None


def health_of(connection: Connection, triggers: Mapping[str, Trigger], one: Subscription) -> Health:
    """Return how a subscription fares, from what is stored."""
    trigger = triggers.get(one.trigger)
    head = deliveries.next_waiting(connection, one.id)
    rests_until = deliveries.queue_of(connection, one.id).rests_until
    if head is not None and head.next_at is not None and rests_until is not None and rests_until > head.next_at:
        head = replace(head, next_at=rests_until)
    last = deliveries.latest_finished(connection, one.id)
    cursor = cursors.get(connection, one.cursor_name) if one.cursor_name else None
    is_called = trigger is not None and trigger.needs_webhook_url
    hook = hooks.of_credential(connection, one.credential_id) if is_called else None
    waiting = deliveries.count_waiting(connection, one.id) if head is not None else 0
    return judge(one, head, last, cursor, hook, waiting)


def judge(
    one: Subscription,
    head: Delivery | None,
    last: Delivery | None,
    cursor: StoredCursor | None,
    hook: Hook | None,
    waiting: int,
) -> Health:
    """Decide from the oldest waiting delivery, the latest finished one, and the cursor or webhook URL behind it."""
    next_poll, last_poll = (cursor.next_at, cursor.polled_at) if cursor else (None, None)
    delivered_at = last.done_at if last is not None and last.state == "done" else None
    if one.state != subscriptions.ACTIVE:
        return Health("ended", delivered_at=delivered_at)
    reason, next_try = _trouble(head, last, cursor, hook)
    state: State = "paused" if one.paused_at else "failing" if reason else "active"
    if state == "paused":
        next_try = None
    return Health(state, reason, next_try, waiting, next_poll, last_poll, delivered_at)


def _trouble(
    head: Delivery | None, last: Delivery | None, cursor: StoredCursor | None, hook: Hook | None
) -> tuple[Text | None, datetime | None]:
    if head is not None and head.last_error is not None:
        return delivery_failure(head.last_status, head.last_error), head.next_at
    if cursor is not None and cursor.trouble is not None:
        return trouble_text(cursor.trouble), cursor.next_at
    if hook is not None and hook.state == "drifted":
        return say("failing_webhook_url"), None
    if last is not None and last.state == "dead":
        return say("failing_given_up", why=delivery_failure(last.last_status, last.last_error or "")), None
    return None, None


def delivery_failure(status: int | None, error: str) -> Text:
    """Say why the target did not take a delivery."""
    if status is None and error.startswith(UNREACHABLE):
        return say("failing_unreachable")
    if status is None and error.startswith(BROKEN_OFF):
        return say("failing_broken_off")
    why = reason_text(error)
    if status is None:
        return say("failing_not_delivered", why=why) if is_known(error) else say("failing_no_answer", why=why)
    return say("failing_status_said", status=status, said=why) if error else say("failing_status", status=status)


def trouble_text(trouble: Mapping[str, Any]) -> Text:
    """Return the error of a poll in both languages; one that an older version has stored is in English."""
    text = trouble.get("text")
    if isinstance(text, dict) and {"en", "de"} <= text.keys():
        return Text(str(text["en"]), str(text["de"]))
    return quote(str(trouble.get("message", "")))
