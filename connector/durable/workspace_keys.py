"""Adds, replaces and revokes the API keys of workspaces; a key is tested at the service before it is kept."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from connector.core.callers import current_source
from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.durable.inbox import registration
from connector.store.triggers import deliveries, subscriptions
from connector.store.trust import audit, credentials, workspaces

if TYPE_CHECKING:
    from connector.core.service.credential import Credential
    from connector.durable.context import JobContext


async def add_key(context: JobContext, credential: Credential, workspace: str) -> str:
    """Test a key and keep it as the one that the workspace uses; return the credential's id."""
    await context.read(lambda connection: workspaces.check_key(connection, credential.fingerprint, workspace))
    shown = await _shown_organizations(context, credential)
    now, by = context.now(), current_source()

    def keep(connection: Connection) -> str:
        workspaces.check_organization(connection, shown, workspace)
        id = credentials.save(connection, context.vault, credential, now, workspace, chosen=True)
        _record(connection, credential.fingerprint, shown)
        details = {"fingerprint": credential.fingerprint}
        audit.record_by(connection, by, workspace=workspace, what="key.added", subject=id, details=details, now=now)
        return id

    return await context.write(keep)


@dataclass(frozen=True, slots=True)
class KeyPreview:
    """What a key shows before it is kept."""

    accounts: int
    organizations: tuple[str, ...]
    """Whom its payments name; empty where it shows none."""
    expected: tuple[str, ...]
    """Whom the keys of the workspace belong to, as far as that is known."""


async def preview_key(context: JobContext, credential: Credential, workspace: str) -> KeyPreview:
    """Test a key, and return whom it belongs to; nothing is kept, at no credit."""
    await context.read(lambda connection: workspaces.check_key(connection, credential.fingerprint, workspace))
    async with context.connector.open(credential, clock=context.clock) as session:
        tested = await session.test()
        shown = await session.organizations()
    expected = await context.read(lambda connection: workspaces.organizations_of(connection, workspace))
    return KeyPreview(int(tested["accounts"]), shown, expected)


async def replace_key(context: JobContext, credential_id: str, new_key: str) -> None:
    """Replace the key of a credential by one of the same organisation, after the service has accepted it."""
    former = await context.read(lambda connection: credentials.find(connection, None, credential_id))
    if former is None:
        raise InputError(say("credential_unknown", id=credential_id), field="credential_id")
    await _learn_organization(context, credential_id, former.fingerprint)
    settings = await context.read(lambda connection: credentials.settings_of(connection, credential_id))
    renewed = replace(settings, api_key=new_key)
    await context.read(lambda connection: workspaces.check_key(connection, renewed.fingerprint, former.workspace))
    shown = await _shown_organizations(context, renewed)
    now, by = context.now(), current_source()
    details = {"fingerprint": renewed.fingerprint, "former": former.fingerprint}

    def change(connection: Connection) -> None:
        workspaces.check_organization(connection, shown, former.workspace)
        credentials.rotate(connection, context.vault, credential_id, new_key, now)
        _record(connection, renewed.fingerprint, shown)
        audit.record_by(
            connection,
            by,
            workspace=former.workspace,
            what="key.replaced",
            subject=credential_id,
            details=details,
            now=now,
        )

    await context.write(change)


async def revoke_credential(context: JobContext, credential_id: str) -> int:
    """End all subscriptions of a credential, revoke it and erase its key; return how many ended."""
    with contextlib.suppress(KontorError):  # with a key revoked at the service the URL cannot be restored
        await registration.release(context, credential_id)
    now, by = context.now(), current_source()

    def finish(connection: Connection) -> int:
        running = subscriptions.active(connection, credential_id, with_alerts=True)
        for subscription in running:
            subscriptions.end(connection, subscription.id, "revoked", now)
            deliveries.end_waiting(connection, subscription.id)
        credentials.revoke(connection, credential_id, now)
        home, details = credentials.workspace_of(connection, credential_id), {"ended_subscriptions": len(running)}
        audit.record_by(
            connection, by, workspace=home, what="key.revoked", subject=credential_id, details=details, now=now
        )
        return len(running)

    return await context.write(finish)


async def revoke_key(context: JobContext, workspace: str) -> str:
    """Revoke the key that a workspace uses; return its credential's id."""
    chosen = await context.read(lambda connection: credentials.chosen(connection, workspace))
    if chosen is None:
        raise InputError(say("workspace_has_no_key", workspace=workspace), field="workspace")
    await revoke_credential(context, chosen.id)
    return chosen.id


async def replace_chosen_key(context: JobContext, workspace: str, new_key: str) -> str:
    """Replace the key that a workspace uses; return its credential's id."""
    chosen = await context.read(lambda connection: credentials.chosen(connection, workspace))
    if chosen is None:
        raise InputError(say("workspace_has_no_key", workspace=workspace), field="workspace")
    await replace_key(context, chosen.id, new_key)
    return chosen.id


async def _shown_organizations(context: JobContext, credential: Credential) -> tuple[str, ...]:
    """Test a key, and return whom its payments name."""
    async with context.connector.open(credential, clock=context.clock) as session:
        await session.test()
        return await session.organizations()


async def _learn_organization(context: JobContext, credential_id: str, fingerprint: str) -> None:
    """Record whom the present key's payments name, if it still works: the new key must name the same."""
    with contextlib.suppress(KontorError):
        shown = await (await context.session(credential_id)).organizations()
        await context.write(lambda connection: _record(connection, fingerprint, shown))


def _record(connection: Connection, fingerprint: str, shown: tuple[str, ...]) -> None:
    if len(shown) == 1:
        workspaces.set_organization(connection, fingerprint, shown[0])
