"""Workspaces: to which customer an API key belongs, and with it everything stored for it; and their policies.

The policies of workspaces. What was set is kept as a person reads it; whatever was not set takes the default.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select, update

from connector.core.errors import InputError, RightMissing
from connector.core.messages import say
from connector.core.service import environment
from connector.core.values import json
from connector.core.writes.policy import Policy
from connector.store.database.statements import insert_if_absent
from connector.store.schema import policies, workspace_keys, workspaces

DEFAULT = environment.default("KONTOR_WORKSPACE")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class WorkspaceInfo(NamedTuple):
    """A workspace, and how many API keys belong to it."""

    name: str
    made_at: datetime
    keys: int


def checked_name(name: str) -> str:
    """Return the name of a workspace; raise when it cannot be one."""
    if not NAME.fullmatch(name):
        raise InputError(say("workspace_name_invalid"), field="workspace")
    return name


def of_key(connection: Connection, fingerprint: str) -> str | None:
    """Return the workspace that an API key belongs to; None when the key is unknown."""
    found = select(workspace_keys.c.workspace).where(workspace_keys.c.fingerprint == fingerprint)
    return connection.execute(found).scalar_one_or_none()


def create(connection: Connection, name: str, now: datetime) -> bool:
    """Create a workspace; False when there is one of this name."""
    return insert_if_absent(connection, workspaces, {"name": checked_name(name), "made_at": now.timestamp()})


def exists(connection: Connection, name: str) -> bool:
    """Whether there is a workspace of this name."""
    return connection.execute(select(workspaces.c.name).where(workspaces.c.name == name)).first() is not None


def listed(connection: Connection, workspace: str | None) -> Sequence[WorkspaceInfo]:
    """Return the workspaces by name: only `workspace`, or with None all of the host."""
    keys = select(func.count()).where(workspace_keys.c.workspace == workspaces.c.name).scalar_subquery()
    found = select(workspaces.c.name, workspaces.c.made_at, keys.label("keys")).order_by(workspaces.c.name)
    if workspace is not None:
        found = found.where(workspaces.c.name == workspace)
    rows = connection.execute(found)
    return [WorkspaceInfo(row.name, datetime.fromtimestamp(row.made_at, UTC), row.keys) for row in rows]


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


def check_key(connection: Connection, fingerprint: str, workspace: str) -> None:
    """Raise when the key belongs to another workspace: nothing moves between workspaces."""
    if of_key(connection, fingerprint) not in {None, workspace}:
        raise RightMissing(say("key_elsewhere"), remedy=say("key_elsewhere_remedy"), outcome="not_sent")


def check_organization(connection: Connection, organizations: Sequence[str], workspace: str) -> None:
    """Raise when the service shows with a key the payments of an organisation that another workspace stands for."""
    same = and_(workspace_keys.c.organization.in_(organizations), workspace_keys.c.workspace != workspace)
    other = connection.execute(select(workspace_keys.c.workspace).where(same)).scalars().first()
    if other is not None:
        remedy = say("key_unattached_remedy", workspace=other)
        raise RightMissing(say("key_unattached"), remedy=remedy, outcome="not_sent", reason="key_unattached")
    own = and_(workspace_keys.c.workspace == workspace, workspace_keys.c.organization.is_not(None))
    known = set(connection.execute(select(workspace_keys.c.organization).where(own)).scalars())
    if organizations and known and not known & set(organizations):
        raise RightMissing(say("key_foreign"), remedy=say("key_elsewhere_remedy"), outcome="not_sent")


def set_organization(connection: Connection, fingerprint: str, organization: str) -> None:
    """Record whom the payments of a key name."""
    mine = workspace_keys.c.fingerprint == fingerprint
    connection.execute(update(workspace_keys).where(mine).values(organization=organization[:100]))


def find_policy(connection: Connection, workspace: str, *, lock: bool = False) -> Policy:
    """Return the policy of a workspace; with `lock`, whoever asks so meanwhile waits until this transaction ends."""
    query = select(policies.c.settings).where(policies.c.workspace == workspace)
    settings = connection.execute(query.with_for_update() if lock else query).scalar_one_or_none()
    kept = {} if settings is None else json.decode(settings)
    return Policy().changed(kept, kept.get("agents", ()))


def save_policy(connection: Connection, workspace: str, policy: Policy, now: datetime) -> None:
    """Set the policy of a workspace."""
    default = Policy().as_dict()
    kept = {name: value for name, value in policy.as_dict().items() if value != default[name]}
    row = {"settings": json.encode_clean(kept).decode(), "changed_at": now.timestamp()}
    if not insert_if_absent(connection, policies, {"workspace": workspace, **row}):
        connection.execute(policies.update().where(policies.c.workspace == workspace).values(row))
