"""Workspaces, the API keys that they hold, the tokens of their people, and the token in their webhook URL."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import Connection

from connector.core.callers import ROLES, Actor, current_source
from connector.core.errors import InputError, NotFound, RightMissing
from connector.core.messages import say
from connector.durable.context import JobContext
from connector.durable.inbox.hook_rotation import rotate_hooks
from connector.durable.workspace_keys import (
    add_key,
    preview_key,
    replace_chosen_key,
    replace_key,
    revoke_credential,
    revoke_key,
)
from connector.operations.operation import (
    LEFT_OUT,
    Access,
    Answer,
    ApiKey,
    Count,
    Document,
    Free,
    In,
    Moment,
    Workspace,
    ok,
    operation,
)
from connector.store.people import people
from connector.store.triggers import subscriptions
from connector.store.trust import audit, credentials, data_key_rotation, tokens, workspaces
from connector.store.trust.credentials import CredentialInfo
from connector.store.trust.tokens import Token

HOST_WIDE = "*"
"""Stands for the whole host where a workspace is named."""
RoleName = Annotated[str, Field(json_schema_extra={"enum": list(ROLES)})]
TOKEN_CREATED = ok("TokenCreated", name=str, role=str, workspace=str | None, token=str, agent=(bool, LEFT_OUT))
TOKEN_REVOKED = ok("TokenRevoked", name=str, workspace=str | None, revoked=bool)
TokenName = Annotated[str, In("query"), Field(description="The token's name.")]


class KeptCredential(Answer):
    """A stored credential, without its key."""

    id: str
    fingerprint: str
    base_url: str
    quelle: str
    workspace: str
    created_at: datetime
    revoked_at: datetime | None
    chosen_at: datetime | None
    active_subscriptions: Count


@operation("POST /v1/workspaces", "admin", ok("WorkspaceCreated", name=str), status=201, host_wide=True)
async def create_workspace(context: JobContext, actor: Actor | None, name: str) -> Document:
    """Creates a workspace."""
    now, by = context.now(), current_source()

    def create(connection: Connection) -> bool:
        created = workspaces.create(connection, name, now)
        if created:
            audit.record_by(connection, by, workspace=name, what="workspace.created", subject=name, now=now)
        return created

    if not await context.write(create):
        raise InputError(say("workspace_taken", name=name), field="name")
    return {"ok": True, "name": name}


@operation("GET /v1/workspaces", "admin", ok("WorkspaceList", workspaces=list[Free]))
async def list_workspaces(context: JobContext, actor: Actor | None) -> Document:
    """Workspaces.

    Those that the actor may see, and how many API keys belong to each.
    """
    scope = actor.workspace if actor else None
    listed = await context.read(lambda connection: workspaces.listed(connection, scope))
    return {"ok": True, "workspaces": [workspace._asdict() for workspace in listed]}


async def named_workspace(context: JobContext, actor: Actor | None, workspace: str | None) -> str:
    """Return the workspace to manage: the actor's own, or the one named; raise when the actor may not manage it."""
    check_workspace(actor, workspace)
    if actor is not None and actor.workspace is not None:
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


def check_workspace(actor: Actor | None, workspace: str | None) -> None:
    """Raise when a token of one workspace names another, or the whole host."""
    if actor is not None and actor.workspace is not None and workspace not in {None, actor.workspace}:
        message, remedy = say("workspace_foreign", name=actor.name), say("host_wide_needed_remedy")
        raise RightMissing(message, remedy=remedy, outcome="not_sent")


@operation("POST /v1/tokens", "admin", TOKEN_CREATED, status=201, no_store=True)
async def create_token(
    context: JobContext,
    actor: Actor | None,
    *,
    name: str,
    role: RoleName,
    person: str = "",
    workspace: Annotated[str | None, Field(description="`*`: the whole host")] = None,
    expires_at: Moment | None = None,
    agent: Annotated[
        bool,
        Field(description="An agent holds it: the policy `agents` applies to whatever it runs, at every door."),
    ] = False,
) -> Document:
    """Creates a token, shown only here."""
    host_wide = workspace == HOST_WIDE
    check_workspace(actor, workspace)
    known = next((known for known in ROLES if known == role), None)
    if known is None:
        raise InputError(say("role_unknown", roles=", ".join(ROLES)), field="role")
    home = None if host_wide else await named_workspace(context, actor, workspace)
    text, now, by, person = tokens.new_token(), context.now(), current_source(), person.strip()
    token = Token(name, home, known, person, now, None, expires_at, None, agent, "", seen_by(actor))
    of_agent = {"agent": True} if agent else {}
    details = {"role": known, "person": person, "expires_at": expires_at, **of_agent}

    def create(connection: Connection) -> None:
        holder = people.of_token(connection, home, person, now) if person else None
        named = token if holder is None else replace(token, person=holder.name, person_id=holder.id)
        tokens.create(connection, named, text)
        audit.record_by(connection, by, workspace=home, what="token.created", subject=name, details=details, now=now)

    await context.write(create)
    return {"ok": True, "name": name, "role": known, **of_agent, "workspace": home, "token": text}


def seen_by(actor: Actor | None) -> str:
    """Return who may see what is made now and shown once, as it is kept with a token."""
    if actor is None or actor.is_owner:
        return ""
    return tokens.joined(actor.hands or {f"{tokens.MACHINE}{actor.name}"})


@operation("GET /v1/tokens", "admin", ok("TokenList", tokens=list[Free]))
async def list_tokens(context: JobContext, actor: Actor | None, workspace: Workspace = None) -> Document:
    """Tokens, with their last use."""
    scope = await named_workspace(context, actor, workspace) if workspace else actor.workspace if actor else None
    listed = await context.read(lambda connection: tokens.listed(connection, scope))
    return {"ok": True, "tokens": [_shown(token) for token in listed]}


def _shown(token: Token) -> Document:
    """Return a token as the public interfaces show it."""
    shown = asdict(token)
    del shown["max_idle"]  # of sign-ins only
    return {**shown, "machine": not token.person_id}


def token_state(token: Mapping[str, Any], now: datetime) -> str:
    """Return whether a listed token is valid, expired or revoked."""
    if token["revoked_at"] is not None:
        return "revoked"
    until = token["expires_at"]
    until = datetime.fromisoformat(until) if isinstance(until, str) else until
    return "expired" if until is not None and until <= now else "valid"


@operation("DELETE /v1/tokens", "admin", TOKEN_REVOKED)
async def revoke_token(
    context: JobContext, actor: Actor | None, name: TokenName, workspace: Workspace = None
) -> Document:
    """Revokes a token."""
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


revoke_named_token = revoke_token.at("DELETE /v1/tokens/{name}", "revoke_named_token")


@operation("POST /v1/keys", "admin", ok("KeyAdded", workspace=str, id=str, fingerprint=str), status=201, needs_key=True)
async def add_workspace_key(
    context: JobContext, actor: Actor | None, access: Access, api_key: ApiKey, workspace: Workspace = None
) -> Document:
    """Keeps the key of x-api-key for a workspace, tested first."""
    credential = access.credential(api_key)
    home = await named_workspace(context, actor, workspace)
    id = await add_key(context, credential, home)
    return {"ok": True, "workspace": home, "id": id, "fingerprint": credential.fingerprint}


@operation(
    "POST /v1/keys/check",
    "admin",
    ok("KeyChecked", workspace=str, accounts=Count, organizations=list[str], expected=list[str]),
    needs_key=True,
)
async def check_workspace_key(
    context: JobContext, actor: Actor | None, access: Access, api_key: ApiKey, workspace: Workspace = None
) -> Document:
    """Tests the key of x-api-key and says whom it belongs to, without keeping it.

    `organizations` are those that its payments name, none where it shows none; `expected` are those of the workspace.
    """
    credential, home = access.credential(api_key), await named_workspace(context, actor, workspace)
    shown = await preview_key(context, credential, home)
    organizations = {"organizations": list(shown.organizations), "expected": list(shown.expected)}
    return {"ok": True, "workspace": home, "accounts": shown.accounts, **organizations}


@operation("PUT /v1/keys", "admin", ok("KeyReplaced", workspace=str, id=str, replaced=bool), needs_key=True)
async def replace_workspace_key(
    context: JobContext, actor: Actor | None, api_key: ApiKey, workspace: Workspace = None
) -> Document:
    """Replaces the key of a workspace by that of x-api-key."""
    home = await named_workspace(context, actor, workspace)
    id = await replace_chosen_key(context, home, api_key)
    context.wake()
    return {"ok": True, "workspace": home, "id": id, "replaced": True}


@operation("DELETE /v1/keys", "admin", ok("KeyRevoked", workspace=str, id=str, revoked=bool))
async def revoke_workspace_key(context: JobContext, actor: Actor | None, workspace: Workspace = None) -> Document:
    """Erases the key of a workspace."""
    home = await named_workspace(context, actor, workspace)
    return {"ok": True, "workspace": home, "id": await revoke_key(context, home), "revoked": True}


@operation("POST /v1/hooks/rotate", "admin", ok("HooksRotated", workspace=str, rotated=Count))
async def rotate_hook_tokens(context: JobContext, actor: Actor | None, workspace: Workspace = None) -> Document:
    """Replaces the token in the webhook URL of a workspace."""
    home = await named_workspace(context, actor, workspace)
    return {"ok": True, "workspace": home, "rotated": len(await rotate_hooks(context, home))}


async def rotate_data_key(context: JobContext) -> Document:
    """Replace the data key, or finish replacing it; no operation, since it never happens over HTTP."""
    renewed = await asyncio.to_thread(data_key_rotation.rotate, context.database, context.vault)
    now, by, details = context.now(), current_source(), {"renewed": renewed}
    await context.write(
        lambda connection: audit.record_by(
            connection, by, workspace=None, what="data_key.rotated", details=details, now=now
        )
    )
    return {"ok": True, "renewed": renewed, "file": context.vault.key_file is not None}


@operation("GET /v1/credentials", "admin", ok("CredentialList", credentials=list[KeptCredential]))
async def list_credentials(context: JobContext, actor: Actor | None, access: Access) -> Document:
    """Kept credentials."""
    workspace = await access.workspace()

    def read_all(connection: Connection) -> list[Document]:
        listed = credentials.listed(connection, workspace)
        return [
            {**asdict(stored), "active_subscriptions": len(subscriptions.active(connection, stored.id))}
            for stored in listed
        ]

    return {"ok": True, "credentials": await context.read(read_all)}


@operation("PUT /v1/credentials/{id}", "admin", ok("CredentialRotated", id=str, rotated=bool), needs_key=True)
async def rotate_credential(context: JobContext, actor: Actor | None, id: str, api_key: ApiKey) -> Document:
    """Replaces the key by that of x-api-key."""
    stored = await _stored_credential(context, actor.workspace if actor else None, id)
    await replace_key(context, stored.id, api_key)
    context.wake()
    return {"ok": True, "id": stored.id, "rotated": True}


@operation(
    "DELETE /v1/credentials/{id}", "admin", ok("CredentialRevoked", id=str, revoked=bool, ended_subscriptions=Count)
)
async def revoke_stored_credential(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """Ends all of its subscriptions, and its use."""
    stored = await _stored_credential(context, await access.workspace(), id)
    ended = await revoke_credential(context, stored.id)
    return {"ok": True, "id": stored.id, "revoked": True, "ended_subscriptions": ended}


async def _stored_credential(context: JobContext, workspace: str | None, id: str) -> CredentialInfo:
    stored = await context.read(lambda connection: credentials.find(connection, workspace, id))
    if stored is None:
        message, remedy = say("credential_unknown", id=id[:40]), say("host_credential_unknown_remedy")
        raise NotFound(message, remedy=remedy, outcome="not_sent")
    return stored
