"""Workspaces: to which customer an API key belongs, and with it everything stored for it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, func, select

from connector.store.insert_once import insert_if_absent
from connector.store.schema import workspace_keys, workspaces

DEFAULT = "default"


def of_key(connection: Connection, fingerprint: str) -> str | None:
    """Return the workspace that an API key belongs to; None when the key is unknown."""
    found = select(workspace_keys.c.workspace).where(workspace_keys.c.fingerprint == fingerprint)
    return connection.execute(found).scalar_one_or_none()


def attach(connection: Connection, fingerprint: str, workspace: str, now: datetime) -> str:
    """Attach a key to a workspace, creating it as needed; return the one it belongs to, which may be an earlier one."""
    at = now.timestamp()
    insert_if_absent(connection, workspaces, {"name": workspace, "made_at": at})
    insert_if_absent(connection, workspace_keys, {"fingerprint": fingerprint, "workspace": workspace, "added_at": at})
    return of_key(connection, fingerprint) or workspace


def own_workspace(connection: Connection, fingerprint: str) -> str:
    """Return the workspace for a key that is new to a host: `default` for its first key, else one of its own."""
    attached = select(func.count()).select_from(workspace_keys).where(workspace_keys.c.workspace == DEFAULT)
    return f"key-{fingerprint}" if connection.execute(attached).scalar_one() else DEFAULT
