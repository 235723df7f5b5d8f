"""What happened to a subscription, a cursor, a webhook URL, a bank or a key, for people to read.

Unlike the audit log it is not proof: it is written where something changes for better or worse, kept for a month, and
holds neither items nor secrets. An ordinary poll that finds nothing is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from connector.core.values import json
from connector.store.schema import timeline

MAX_DETAILS = 2000
"""Characters of an entry's details; longer ones are left out."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One entry."""

    at: datetime
    what: str
    """An object and what became of it, for example `poll.failed`."""
    details: dict[str, Any]


def record(
    connection: Connection, about: str, what: str, now: datetime, details: Mapping[str, Any] | None = None
) -> None:
    """Write an entry in the transaction of what it tells of."""
    text = json.encode(dict(details or {})).decode()
    row = {"about": about, "at": now.timestamp(), "what": what, "details": text if len(text) <= MAX_DETAILS else "{}"}
    connection.execute(insert(timeline).values(row))


def listed(connection: Connection, about: Sequence[str], limit: int = 100) -> list[Happening]:
    """Return the latest entries about any of these, the newest first; whoever asks has checked whose they are."""
    query = select(timeline).where(timeline.c.about.in_(list(about))).order_by(timeline.c.id.desc()).limit(limit)
    return [
        Happening(datetime.fromtimestamp(row.at, UTC), row.what, json.decode(row.details))
        for row in connection.execute(query)
    ]


def delete_old(connection: Connection, before: datetime) -> int:
    """Delete entries from before then."""
    return connection.execute(delete(timeline).where(timeline.c.at < before.timestamp())).rowcount
