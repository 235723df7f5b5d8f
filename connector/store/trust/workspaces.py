"""Workspaces: to which customer an API key belongs, and with it everything stored for it; and their policies.

The policies of workspaces. What was set is kept as a person reads it; whatever was not set takes the default.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select

from connector.core.errors import InputError, RightMissing
from connector.core.messages import say
from connector.core.service import environment
from connector.core.values import json
from connector.core.writes.policy import ClosedPolicy, Policy
from connector.store.schema import workspace_keys, workspaces
from connector.store.trust import rights_register
from connector.store.trust.granting_rows import POLICIES, WORKSPACE_KEYS, WORKSPACES
from connector.store.trust.rights_register import Unverified

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
    """Return the workspace that an API key belongs to; None when the key is unknown.

    Raise `Unverified` when somebody without the data key has moved or removed it.
    """
    found = rights_register.find(connection, WORKSPACE_KEYS, (fingerprint,))
    return None if found is None else str(found.workspace)


def create(connection: Connection, name: str, now: datetime) -> bool:
    """Create a workspace; False when there is one of this name."""
    return rights_register.add(connection, WORKSPACES, {"name": checked_name(name), "made_at": now.timestamp()})


def exists(connection: Connection, name: str) -> bool:
    """Whether there is a workspace of this name, and nobody without the data key has put it there."""
    try:
        return rights_register.find(connection, WORKSPACES, (name,)) is not None
    except Unverified:
        return False


def listed(connection: Connection, workspace: str | None) -> Sequence[WorkspaceInfo]:
    """Return the workspaces by name: only `workspace`, or with None all of the host."""
    keys = select(func.count()).where(workspace_keys.c.workspace == workspaces.c.name).scalar_subquery()
    found = select(workspaces.c.name, workspaces.c.made_at, keys.label("keys")).order_by(workspaces.c.name)
    if workspace is not None:
        found = found.where(workspaces.c.name == workspace)
    rows = connection.execute(found)
    return [WorkspaceInfo(row.name, datetime.fromtimestamp(row.made_at, UTC), row.keys) for row in rows]


def attach(connection: Connection, fingerprint: str, workspace: str, now: datetime) -> str:
    """Attach a key to a workspace, creating it as needed; return the one it belongs to, which may be an earlier one.

    A process that lacks the data key, and so can only read from the service, leaves nothing.
    """
    known = of_key(connection, fingerprint)
    if known is None and rights_register.can_change(connection):
        at = now.timestamp()
        rights_register.add(connection, WORKSPACES, {"name": workspace, "made_at": at})
        row = {"fingerprint": fingerprint, "workspace": workspace, "added_at": at}
        rights_register.add(connection, WORKSPACE_KEYS, row)
        known = of_key(connection, fingerprint)
    return known or workspace


def own_workspace(connection: Connection, fingerprint: str) -> str:
    """Return the workspace for a key that is new to a host: `default` for its first key, else one of its own."""
    attached = select(func.count()).select_from(workspace_keys).where(workspace_keys.c.workspace == DEFAULT)
    return f"key-{fingerprint}" if connection.execute(attached).scalar_one() else DEFAULT


def check_key(connection: Connection, fingerprint: str, workspace: str) -> None:
    """Raise when the key belongs to another workspace: nothing moves between workspaces."""
    if of_key(connection, fingerprint) not in {None, workspace}:
        raise RightMissing(say("key_elsewhere"), remedy=say("key_elsewhere_remedy"), outcome="not_sent")


def check_organization(connection: Connection, organizations: Sequence[str], workspace: str) -> None:
    """Raise when the service shows with a key the payments of an organisation that another workspace stands for.

    Also when keys were moved or removed by somebody without the data key: then nobody can tell.
    """
    rights_register.check_all(connection, WORKSPACE_KEYS)
    same = and_(workspace_keys.c.organization.in_(organizations), workspace_keys.c.workspace != workspace)
    other = connection.execute(select(workspace_keys.c.workspace).where(same)).scalars().first()
    if other is not None:
        remedy = say("key_unattached_remedy", workspace=other)
        raise RightMissing(say("key_unattached"), remedy=remedy, outcome="not_sent", reason="key_unattached")
    known = set(organizations_of(connection, workspace))
    if known and not organizations:  # a key of the same organisation would show the same payments
        remedy = say("key_unproven_remedy")
        raise RightMissing(say("key_unproven"), remedy=remedy, outcome="not_sent", reason="key_unproven")
    if known and not known & set(organizations):
        raise RightMissing(say("key_foreign"), remedy=say("key_elsewhere_remedy"), outcome="not_sent")


def organizations_of(connection: Connection, workspace: str) -> tuple[str, ...]:
    """Return the organisations that the keys of a workspace belong to, as far as their payments have told."""
    own = and_(workspace_keys.c.workspace == workspace, workspace_keys.c.organization.is_not(None))
    return tuple(sorted(set(connection.execute(select(workspace_keys.c.organization).where(own)).scalars())))


def set_organization(connection: Connection, fingerprint: str, organization: str) -> None:
    """Record whom the payments of a key name."""
    values = {"organization": organization[:100]}
    rights_register.change(connection, WORKSPACE_KEYS, (fingerprint,), values)


def find_policy(connection: Connection, workspace: str, *, lock: bool = False) -> Policy:
    """Return the policy of a workspace; with `lock`, whoever asks so meanwhile waits until this transaction ends.

    One that is not as an admin has set it, or was deleted otherwise, allows no payment.
    """
    try:
        row = rights_register.find(connection, POLICIES, (workspace,), lock=lock)
    except Unverified:
        return ClosedPolicy()
    kept = {} if row is None else json.decode(row.settings)
    return Policy().changed(kept, kept.get("agents", ()))


def save_policy(connection: Connection, workspace: str, policy: Policy, now: datetime) -> None:
    """Set the policy of a workspace."""
    default = Policy().as_dict()
    kept = {name: value for name, value in policy.as_dict().items() if value != default[name]}
    settings = json.encode_clean(kept).decode()
    row = {"workspace": workspace, "settings": settings, "changed_at": now.timestamp()}
    rights_register.put(connection, POLICIES, row)
