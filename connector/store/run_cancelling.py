"""Cancels a run that was not sent yet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, update

from connector.core.call_source import CallSource
from connector.core.values import json
from connector.store import audit
from connector.store.body_sealing import seal
from connector.store.runs import Run
from connector.store.schema import runs

CANCELLED = "cancelled"
"""Marks the outcome of a cancelled run."""
NOBODY = ""


def cancel(connection: Connection, found: Run, outcome: dict[str, Any], by: CallSource, now: datetime) -> bool:
    """End a claimed run before its first byte; False when it is being sent or has ended.

    Whoever was about to send it finds its claim gone.
    """
    text = seal(connection, json.encode_clean({**outcome, CANCELLED: True}).decode())
    values = {"state": "refused", "owner": NOBODY, "outcome": text, "changed_at": now.timestamp()}
    waiting = and_(runs.c.id == found.id, runs.c.workspace == found.workspace, runs.c.state == "claimed")
    if connection.execute(update(runs).where(waiting).values(values)).rowcount != 1:
        return False
    details = {"action": found.action}
    audit.record_by(
        connection, by, workspace=found.workspace, what="run.cancelled", subject=found.id, details=details, now=now
    )
    return True


def was_cancelled(run: Run) -> bool:
    """Whether a person has cancelled the run."""
    return run.state == "refused" and isinstance(run.outcome, dict) and bool(run.outcome.get(CANCELLED))
