"""Manages workspaces, their API keys and tokens, the same for the host's routes and the command line.

Each function returns the document that both show. The actor is who asks; None is the owner of the machine.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from connector.core.call_source import current_source
from connector.core.errors import InputError, RightMissing
from connector.core.messages import say
from connector.core.roles import ROLES, Actor
from connector.durable.inbox.hook_rotation import rotate_hooks
from connector.durable.workspace_keys import add_key, replace_chosen_key, revoke_key
from connector.store import audit, data_key_rotation, tokens, workspaces
from connector.store.tokens import Token

if TYPE_CHECKING:
    from connector.core.credential import Credential
    from connector.durable.context import JobContext

HOST_WIDE = "*"
"""Stands for the whole host where a workspace is named."""
Document = dict[str, Any]


async def create_workspace(context: JobContext, name: str) -> Document:
    """Create a workspace."""
    now, by = context.now(), current_source()

    def create(connection: Connection) -> bool:
        created = workspaces.create(connection, name, now)
        if created:
            audit.record_by(connection, by, workspace=name, what="workspace.created", subject=name, now=now)
        return created

    if not await context.write(create):
        raise InputError(say("workspace_taken", name=name), field="name")
    return {"ok": True, "name": name}


async def list_workspaces(context: JobContext, actor: Actor | None) -> Document:
    """List the workspaces that the actor may see."""
    scope = actor.workspace if actor else None
    found = await context.read(lambda connection: workspaces.listed(connection, scope))
    return {"ok": True, "workspaces": [one._asdict() for one in found]}


async def create_token(
    context: JobContext,
    actor: Actor | None,
    *,
    name: str,
    role: str,
    person: str = "",
    workspace: str | None = None,
    expires_at: datetime | None = None,
    agent: bool = False,
) -> Document:
    """Create a token and return it, this once; with `agent`, an agent holds it."""
    known = next((one for one in ROLES if one == role), None)
    if known is None:
        raise InputError(say("role_unknown", roles=", ".join(ROLES)), field="role")
    host_wide = workspace == HOST_WIDE
    if host_wide and actor is not None and actor.workspace is not None:
        raise _foreign_workspace(actor)
    home = None if host_wide else await named_workspace(context, actor, workspace)
    text, now, by = tokens.new_token(), context.now(), current_source()
    token = Token(name, home, known, person, now, None, expires_at, None, agent)
    said = {"agent": True} if agent else {}
    details = {"role": known, "person": person, "expires_at": expires_at, **said}

    def create(connection: Connection) -> None:
        tokens.create(connection, token, text)
        audit.record_by(connection, by, workspace=home, what="token.created", subject=name, details=details, now=now)

    await context.write(create)
    return {"ok": True, "name": name, "role": known, **said, "workspace": home, "token": text}


async def list_tokens(context: JobContext, actor: Actor | None, workspace: str | None = None) -> Document:
    """List tokens with their last use; never a token itself."""
    scope = await named_workspace(context, actor, workspace) if workspace else actor.workspace if actor else None
    found = await context.read(lambda connection: tokens.listed(connection, scope))
    return {"ok": True, "tokens": [asdict(one) for one in found]}


def token_state(token: Mapping[str, Any], now: datetime) -> str:
    """Return whether a listed token is valid, expired or revoked."""
    if token["revoked_at"] is not None:
        return "revoked"
    until = token["expires_at"]
    until = datetime.fromisoformat(until) if isinstance(until, str) else until
    return "expired" if until is not None and until <= now else "valid"


async def revoke_token(context: JobContext, actor: Actor | None, name: str, workspace: str | None = None) -> Document:
    """Revoke a token by its name."""
    scope = actor.workspace if actor else None
    if workspace:
        scope = tokens.HOST_WIDE if workspace == HOST_WIDE else await named_workspace(context, actor, workspace)
    now, by = context.now(), current_source()

    def revoke(connection: Connection) -> Token:
        token = tokens.revoke(connection, name, scope, now)
        audit.record_by(connection, by, workspace=token.workspace, what="token.revoked", subject=name, now=now)
        return token

    revoked = await context.write(revoke)
    return {"ok": True, "name": name, "workspace": revoked.workspace, "revoked": True}


async def add_workspace_key(
    context: JobContext, actor: Actor | None, credential: Credential, workspace: str | None = None
) -> Document:
    """Keep an API key for a workspace, after the service has accepted it."""
    home = await named_workspace(context, actor, workspace)
    id = await add_key(context, credential, home)
    return {"ok": True, "workspace": home, "id": id, "fingerprint": credential.fingerprint}


async def replace_workspace_key(
    context: JobContext, actor: Actor | None, api_key: str, workspace: str | None = None
) -> Document:
    """Replace the API key of a workspace by another of the same organisation."""
    home = await named_workspace(context, actor, workspace)
    return {"ok": True, "workspace": home, "id": await replace_chosen_key(context, home, api_key), "replaced": True}


async def revoke_workspace_key(context: JobContext, actor: Actor | None, workspace: str | None = None) -> Document:
    """Erase the API key of a workspace."""
    home = await named_workspace(context, actor, workspace)
    return {"ok": True, "workspace": home, "id": await revoke_key(context, home), "revoked": True}


async def rotate_hook_tokens(context: JobContext, actor: Actor | None, workspace: str | None = None) -> Document:
    """Replace the token in the webhook URL of a workspace."""
    home = await named_workspace(context, actor, workspace)
    return {"ok": True, "workspace": home, "rotated": len(await rotate_hooks(context, home))}


async def rotate_data_key(context: JobContext) -> Document:
    """Replace the data key, or finish replacing it."""
    renewed = await asyncio.to_thread(data_key_rotation.rotate, context.database, context.vault)
    now, by, details = context.now(), current_source(), {"renewed": renewed}
    await context.write(
        lambda connection: audit.record_by(
            connection, by, workspace=None, what="data_key.rotated", details=details, now=now
        )
    )
    return {"ok": True, "renewed": renewed, "file": context.vault.key_file is not None}


async def named_workspace(context: JobContext, actor: Actor | None, workspace: str | None) -> str:
    """Return the workspace to manage: the actor's own, or the one named; raise when the actor may not manage it."""
    if actor is not None and actor.workspace is not None:
        if workspace not in {None, actor.workspace}:
            raise _foreign_workspace(actor)
        return actor.workspace
    wanted = workspace or os.environ.get("KONTOR_WORKSPACE", "").strip() or workspaces.DEFAULT
    now = context.now()

    def ensure(connection: Connection) -> bool:
        if wanted == workspaces.DEFAULT:
            workspaces.create(connection, wanted, now)
        return workspaces.exists(connection, wanted)

    if not await context.write(ensure):
        message, remedy = say("workspace_unknown", name=wanted[:64]), say("workspace_unknown_remedy")
        raise InputError(message, remedy=remedy, field="workspace")
    return wanted


def _foreign_workspace(actor: Actor) -> RightMissing:
    message, remedy = say("workspace_foreign", name=actor.name), say("host_wide_needed_remedy")
    return RightMissing(message, remedy=remedy, outcome="not_sent")
