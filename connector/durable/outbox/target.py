"""Where a line's deliveries go: to a subscription's address, or to the former owner of the webhook URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from connector.store import deliveries, hooks, subscriptions


@dataclass(frozen=True, slots=True)
class Target:
    """An address. Without a secret, what goes there is not signed: it is passed on just as it came."""

    line: str
    url: str
    sealed_secret: str | None = None
    token_digest: str | None = None
    """Of the hook that passes its events on to here."""


def due_lines(connection: Connection, now: datetime) -> Sequence[str]:
    """The lines whose oldest waiting delivery is due."""
    passing = [hook.queue_id for hook in hooks.forwarding(connection)]
    heads = [deliveries.next_waiting(connection, line) for line in passing]
    waiting = [head.subscription_id for head in heads if head is not None and head.next_at and head.next_at <= now]
    return [*deliveries.due_subscriptions(connection, now), *waiting]


def target_of(connection: Connection, line: str) -> Target | None:
    """The line's address; None when it has ended."""
    for hook in hooks.forwarding(connection) if line.startswith("hook:") else ():
        if hook.queue_id == line and hook.former_url:
            return Target(line, hook.former_url, token_digest=hook.token_digest)
    subscription = subscriptions.get(connection, line)
    if subscription is None or subscription.state != subscriptions.ACTIVE:
        return None
    return Target(line, subscription.target_url, subscription.sealed_secret)


def end(connection: Connection, target: Target, now: datetime) -> None:
    """The target answered that it is gone."""
    if target.token_digest is not None:
        hooks.stop_forwarding(connection, target.token_digest)
    else:
        subscriptions.end(connection, target.line, "gone", now)
