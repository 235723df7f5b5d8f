"""The target of a delivery queue: a subscription's URL, or the former webhook URL of a hook."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from connector.core.callers import CallSource
from connector.durable import subscriptions as subscription_changes
from connector.store.triggers import hooks, subscriptions


@dataclass(frozen=True, slots=True)
class Target:
    """A target URL. Without a secret, deliveries are not signed: they are forwarded events."""

    queue_id: str
    url: str
    sealed_secrets: tuple[str, ...] = ()
    """Those that are valid now, the newest first."""
    token_digest: str | None = None
    """The hook that forwards its events here."""


def target_of(connection: Connection, queue_id: str, now: datetime) -> Target | None:
    """Return the queue's target; None when it has ended or is paused, or was changed by who has not the data key."""
    hook = hooks.forwarding(connection, queue_id) if queue_id.startswith(hooks.QUEUE) else None
    if hook is not None and hook.former_url:
        return Target(queue_id, hook.former_url, token_digest=hook.token_digest)
    subscription = subscriptions.get(connection, queue_id)
    if subscription is None or subscription.state != subscriptions.ACTIVE or subscription.paused_at:
        return None
    if not subscriptions.is_as_left(connection, queue_id):
        return None
    return Target(queue_id, subscription.target_url, subscription.sealed_secrets(now))


def end_target(connection: Connection, target: Target, now: datetime) -> None:
    """End the subscription or forwarding whose target answered that it is gone."""
    if target.token_digest is not None:
        hooks.stop_forwarding(connection, target.token_digest)
    else:
        subscription_changes.end(connection, CallSource("host"), target.queue_id, "gone", now)
