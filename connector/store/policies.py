"""The policies of workspaces. What was set is kept as a person reads it; whatever was not set takes the default."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from connector.core.policy import Policy
from connector.core.values import json
from connector.store.insert_once import insert_if_absent
from connector.store.schema import policies


def find(connection: Connection, workspace: str, *, lock: bool = False) -> Policy:
    """Return the policy of a workspace; with `lock`, whoever asks so meanwhile waits until this transaction ends."""
    query = select(policies.c.settings).where(policies.c.workspace == workspace)
    settings = connection.execute(query.with_for_update() if lock else query).scalar_one_or_none()
    kept = {} if settings is None else json.decode(settings)
    return Policy().changed(kept, kept.get("agents", ()))


def save(connection: Connection, workspace: str, policy: Policy, now: datetime) -> None:
    """Set the policy of a workspace."""
    default = Policy().as_dict()
    kept = {name: value for name, value in policy.as_dict().items() if value != default[name]}
    row = {"settings": json.encode_clean(kept).decode(), "changed_at": now.timestamp()}
    if not insert_if_absent(connection, policies, {"workspace": workspace, **row}):
        connection.execute(policies.update().where(policies.c.workspace == workspace).values(row))
