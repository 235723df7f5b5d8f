"""Alarms about writes: what a person must know of one, though nothing of it is open any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, select

from connector.core.values import json
from connector.store import audit
from connector.store.insert_once import insert_if_absent
from connector.store.schema import write_alarms

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


def shown(connection: Connection, workspace: str, now: datetime) -> list[Alarm]:
    """Return the alarms of a workspace that a person should still see, the newest first."""
    return alarms(connection, workspace, now - SHOWN_FOR)


def alarms(connection: Connection, workspace: str, since: datetime) -> list[Alarm]:
    """Return the alarms of a workspace raised since then, the newest first."""
    wanted = (write_alarms.c.workspace == workspace, write_alarms.c.raised_at > since.timestamp())
    rows = connection.execute(select(write_alarms).where(*wanted).order_by(write_alarms.c.raised_at.desc()))
    return [Alarm(row.kind, row.subject, json.decode(row.details), row.raised_at) for row in rows]
