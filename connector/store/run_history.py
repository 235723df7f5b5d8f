"""What the audit log tells of one run, in the order in which it happened."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, select

from connector.store.runs import Run
from connector.store.schema import audit

SPARE = timedelta(minutes=1)
"""By how much the clocks of hosts may differ."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One entry: who did what to the run, and when."""

    at: datetime
    what: str
    """`run.sent`, `run.approved` and so on."""
    actor: str
    person: str
    face: str
    details: dict[str, Any]


def of_run(connection: Connection, run: Run) -> list[Happening]:
    """Return the entries about a run, whether sealed yet or not, the oldest first."""
    # By the time in the id, which the primary key sorts: no other index leads to a subject.
    first, last = _moment(run.made_at - SPARE), _moment(run.changed_at + SPARE)
    mine = and_(audit.c.id >= first, audit.c.id <= last, audit.c.subject == run.id, audit.c.workspace == run.workspace)
    rows = connection.execute(select(audit).where(mine).order_by(audit.c.at, audit.c.id))
    return [
        Happening(
            datetime.fromtimestamp(row.at, UTC), row.what, row.actor, row.person, row.face, json.loads(row.details)
        )
        for row in rows
    ]


def _moment(at: datetime) -> str:
    return f"{int(at.timestamp() * 1000):012x}"
