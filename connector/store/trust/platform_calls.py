"""Which platforms have called a workspace, by the label that they name: what is connected is what has called."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select, update

from connector.store.database.statements import insert_if_absent
from connector.store.schema import platform_calls

HOST_WIDE = ""
"""Stands for a token of the whole host."""


def record(connection: Connection, workspace: str | None, label: str, now: datetime) -> None:
    """Remember that a platform has called."""
    keys, at = {"workspace": workspace or HOST_WIDE, "label": label}, now.timestamp()
    if not insert_if_absent(connection, platform_calls, {**keys, "first_at": at, "last_at": at}):
        mine = (platform_calls.c.workspace == keys["workspace"], platform_calls.c.label == label)
        connection.execute(update(platform_calls).where(*mine).values(last_at=at))


def labels(connection: Connection, workspace: str) -> list[str]:
    """Return the platforms that have called a workspace, or with a token of the whole host, in order of their names."""
    mine = platform_calls.c.workspace.in_((workspace, HOST_WIDE))
    found = select(platform_calls.c.label).where(mine).distinct().order_by(platform_calls.c.label)
    return list(connection.execute(found).scalars())
