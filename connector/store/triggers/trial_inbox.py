"""The built-in inbox: a target for trying triggers. It keeps the last 100 deliveries of each workspace, encrypted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from connector.store.schema import trial_inbox
from connector.store.triggers.subscriptions import Subscription
from connector.store.trust import credentials, sealing

ADDRESS = "kontor:inbox"
"""The target of subscriptions whose deliveries go to the inbox of their workspace."""
MAX_KEPT = 100


@dataclass(frozen=True, slots=True)
class Received:
    """One delivery that arrived."""

    id: int
    subscription_id: str
    trigger: str
    body: str
    arrived_at: datetime


def add(connection: Connection, subscription: Subscription, body: str, now: datetime) -> None:
    """Keep a delivery, and forget what is older than the last `MAX_KEPT` of the workspace."""
    home = credentials.workspace_of(connection, subscription.credential_id)
    row: dict[str, Any] = {"workspace": home, "subscription_id": subscription.id, "trigger": subscription.trigger}
    row |= {"body": sealing.seal(connection, body), "arrived_at": now.timestamp()}
    connection.execute(insert(trial_inbox).values(row))
    mine = trial_inbox.c.workspace == home
    newest = select(trial_inbox.c.id).where(mine).order_by(trial_inbox.c.id.desc()).limit(MAX_KEPT).subquery()
    oldest = select(func.min(newest.c.id)).scalar_subquery()
    connection.execute(delete(trial_inbox).where(mine, trial_inbox.c.id < oldest))


def listed(connection: Connection, workspace: str, limit: int = MAX_KEPT) -> list[Received]:
    """Return what arrived for a workspace, the latest first."""
    query = select(trial_inbox).where(trial_inbox.c.workspace == workspace).order_by(trial_inbox.c.id.desc())
    return [
        Received(
            row.id,
            row.subscription_id,
            row.trigger,
            sealing.opened(connection, row.body),
            datetime.fromtimestamp(row.arrived_at, UTC),
        )
        for row in connection.execute(query.limit(limit))
    ]


def empty(connection: Connection, workspace: str) -> int:
    """Forget what arrived for a workspace; return how many."""
    return connection.execute(delete(trial_inbox).where(trial_inbox.c.workspace == workspace)).rowcount
