"""Alerts that a workspace was told of and that are not over yet; a row each, so that each is told once."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, delete, select

from connector.store.insert_once import insert_if_absent
from connector.store.schema import alert_targets, alerts, subscriptions

MAX_SUBJECT = 200
Alert = tuple[str, str]
"""Its kind, and what it is about."""


def set_target(connection: Connection, workspace: str, subscription_id: str | None) -> None:
    """Say under which subscription a workspace gets its alerts; None: it wants none. What is open is told anew."""
    for table in (alert_targets, alerts):
        connection.execute(delete(table).where(table.c.workspace == workspace))
    if subscription_id is not None:
        insert_if_absent(connection, alert_targets, {"workspace": workspace, "subscription_id": subscription_id})


def target_of(connection: Connection, workspace: str) -> str | None:
    """Return the subscription under which a workspace gets its alerts; None also when that has ended."""
    found = (
        select(alert_targets.c.subscription_id)
        .join(subscriptions, subscriptions.c.id == alert_targets.c.subscription_id)
        .where(alert_targets.c.workspace == workspace, subscriptions.c.state == "active")
    )
    return connection.execute(found).scalar_one_or_none()


def open_ones(connection: Connection, workspace: str) -> dict[Alert, datetime]:
    """Return the alerts of a workspace that are not over, and when each began."""
    rows = connection.execute(select(alerts).where(alerts.c.workspace == workspace))
    return {(row.kind, row.subject): datetime.fromtimestamp(row.began_at, UTC) for row in rows}


def begin(connection: Connection, workspace: str, alert: Alert, now: datetime) -> bool:
    """Record that an alert began; False when it was told before."""
    row = {"workspace": workspace, "kind": alert[0], "subject": alert[1][:MAX_SUBJECT], "began_at": now.timestamp()}
    return insert_if_absent(connection, alerts, row)


def end(connection: Connection, workspace: str, alert: Alert) -> bool:
    """Record that an alert is over; False when that was told before."""
    mine = (alerts.c.workspace == workspace, alerts.c.kind == alert[0], alerts.c.subject == alert[1][:MAX_SUBJECT])
    return connection.execute(delete(alerts).where(*mine)).rowcount == 1
