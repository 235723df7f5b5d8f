"""The target of a delivery queue: a subscription's URL, or the former webhook URL of a hook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from connector.core.call_source import CallSource
from connector.durable import subscription_changes
from connector.store import deliveries, hooks, subscriptions


@dataclass(frozen=True, slots=True)
class Target:
    """A target URL. Without a secret, deliveries are not signed: they are forwarded events."""

    queue_id: str
    url: str
    sealed_secrets: tuple[str, ...] = ()
    """Those that are valid now, the newest first."""
    token_digest: str | None = None
    """The hook that forwards its events here."""


def due_queues(connection: Connection, now: datetime) -> Sequence[str]:
    """Return the ids of the queues whose oldest waiting delivery is due."""
    forwarding = [hook.queue_id for hook in hooks.forwarding(connection)]
    heads = [deliveries.next_waiting(connection, queue_id) for queue_id in forwarding]
    waiting = [head.subscription_id for head in heads if head is not None and head.next_at and head.next_at <= now]
    return [*deliveries.due_subscriptions(connection, now), *waiting]


def target_of(connection: Connection, queue_id: str, now: datetime) -> Target | None:
    """Return the queue's target; None when it has ended."""
    for hook in hooks.forwarding(connection) if queue_id.startswith("hook:") else ():
        if hook.queue_id == queue_id and hook.former_url:
            return Target(queue_id, hook.former_url, token_digest=hook.token_digest)
    subscription = subscriptions.get(connection, queue_id)
    if subscription is None or subscription.state != subscriptions.ACTIVE:
        return None
    return Target(queue_id, subscription.target_url, subscription.sealed_secrets(now))


def end_target(connection: Connection, target: Target, now: datetime) -> None:
    """End the subscription or forwarding whose target answered that it is gone."""
    if target.token_digest is not None:
        hooks.stop_forwarding(connection, target.token_digest)
    else:
        subscription_changes.end(connection, CallSource("host"), target.queue_id, "gone", now)
