"""What a person must know: alarms about writes, and the alerts that a workspace was told of.

Alarms about writes: what a person must know of one, though nothing of it is open any more.

Alerts that a workspace was told of and that are not over yet; a row each, so that each is told once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, delete, select

from connector.core.values import json
from connector.store.database.statements import insert_if_absent
from connector.store.schema import alert_targets, alerts, subscriptions, write_alarms
from connector.store.trust import audit

MAX_SUBJECT = 200
SHOWN_FOR = timedelta(days=7)
"""For how long an alarm is shown; the audit log keeps it."""
Kind = Literal["paid_twice", "done_after_refusal"]
"""Two payments carry one mark; or a write was found that its caller was told of as refused."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A row of the table."""

    kind: Kind
    subject: str
    """The mark, or the id of the run."""
    details: Mapping[str, Any]
    raised_at: float


def raise_alarm(
    connection: Connection, workspace: str, kind: Kind, subject: str, details: Mapping[str, Any], now: datetime
) -> bool:
    """Keep an alarm; False when it was raised before."""
    subject = subject[:MAX_SUBJECT]
    row = {"workspace": workspace, "kind": kind, "subject": subject, "raised_at": now.timestamp()}
    raised = insert_if_absent(connection, write_alarms, {**row, "details": json.encode(details).decode()})
    if raised:
        what = f"alarm.{kind}"
        audit.record(connection, workspace=workspace, what=what, subject=subject, details=details, now=now)
    return raised


def shown_alarms(connection: Connection, workspace: str, now: datetime) -> list[Alarm]:
    """Return the alarms of a workspace that a person should still see, the newest first."""
    return alarms(connection, workspace, now - SHOWN_FOR)


def alarms(connection: Connection, workspace: str, since: datetime) -> list[Alarm]:
    """Return the alarms of a workspace raised since then, the newest first."""
    wanted = (write_alarms.c.workspace == workspace, write_alarms.c.raised_at > since.timestamp())
    rows = connection.execute(select(write_alarms).where(*wanted).order_by(write_alarms.c.raised_at.desc()))
    return [Alarm(row.kind, row.subject, json.decode(row.details), row.raised_at) for row in rows]


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


def open_alerts(connection: Connection, workspace: str) -> dict[Alert, datetime]:
    """Return the alerts of a workspace that are not over, and when each began."""
    rows = connection.execute(select(alerts).where(alerts.c.workspace == workspace))
    return {(row.kind, row.subject): datetime.fromtimestamp(row.began_at, UTC) for row in rows}


def begin_alert(connection: Connection, workspace: str, alert: Alert, now: datetime) -> bool:
    """Record that an alert began; False when it was told before."""
    row = {"workspace": workspace, "kind": alert[0], "subject": alert[1][:MAX_SUBJECT], "began_at": now.timestamp()}
    return insert_if_absent(connection, alerts, row)


def end_alert(connection: Connection, workspace: str, alert: Alert) -> bool:
    """Record that an alert is over; False when that was told before."""
    mine = (alerts.c.workspace == workspace, alerts.c.kind == alert[0], alerts.c.subject == alert[1][:MAX_SUBJECT])
    return connection.execute(delete(alerts).where(*mine)).rowcount == 1
