"""Replaces the token in the webhook URL. Both tokens are valid until the service has been told the new URL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy import Connection

from connector.core.callers import current_source
from connector.core.errors import InputError, KontorError, OutcomeUnknown
from connector.core.messages import say
from connector.durable.inbox.ingest import HOOK_CACHE_SECONDS
from connector.durable.inbox.registration import (
    MAX_WAIT_SECONDS,
    WAIT_SECONDS,
    WebhookUrlTaken,
    current_url,
    lease_name,
    new_hook,
    put_url,
)
from connector.durable.work import hold_lease
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession
from connector.store.triggers import deliveries, hooks
from connector.store.triggers.hooks import Hook
from connector.store.trust import audit, credentials

if TYPE_CHECKING:
    from connector.durable.context import JobContext

PATH = "/hooks/"
PutUrl = Callable[[AsyncSession, Connector, str | None], Awaitable[None]]


async def rotate_hooks(
    context: JobContext, workspace: str, put: PutUrl = put_url, cached_for: float = HOOK_CACHE_SECONDS
) -> list[str]:
    """Replace the tokens of all webhook URLs of a workspace; return the ids of their credentials.

    `put` sets a URL at the service, `cached_for` is how long other hosts may go on with what they have read.
    """

    def registered(connection: Connection) -> list[str]:
        own = {credential.id for credential in credentials.listed(connection, workspace)}
        return [hook.credential_id for hook in hooks.registered(connection) if hook.credential_id in own]

    credential_ids = await context.read(registered)
    if not credential_ids:
        raise InputError(say("hook_none", workspace=workspace), field="workspace")
    for credential_id in credential_ids:
        await _rotate(context, credential_id, put, cached_for)
    return credential_ids


async def _rotate(context: JobContext, credential_id: str, put: PutUrl, cached_for: float) -> None:
    for _ in range(int(MAX_WAIT_SECONDS / WAIT_SECONDS)):
        async with hold_lease(context, lease_name(credential_id)) as lease:
            if lease is not None:
                await _replace(context, credential_id, put, cached_for)
                return
        await asyncio.sleep(WAIT_SECONDS)
    raise InputError(say("hub_busy"), remedy=say("hub_busy_remedy"), field="webhook_url")


async def _replace(context: JobContext, credential_id: str, put: PutUrl, cached_for: float) -> None:
    hook = await context.read(lambda connection: hooks.of_credential(connection, credential_id))
    assert hook is not None  # registered, and the lease is held
    session = await context.session(credential_id)
    current = await current_url(session)
    if current is None or not hook.knows(current.rpartition(PATH)[2]):
        host = urlsplit(current or "").hostname or "?"
        raise WebhookUrlTaken(say("hub_url_taken", host=host), remedy=say("hub_url_taken_remedy"), field="webhook_url")
    base = (context.public_url or current.rpartition(PATH)[0]).rstrip("/")
    renewed, url = new_hook(context, credential_id, base, hook.former_url, hook.pass_on)
    renewed = replace(renewed, former_digest=hooks.digest(current.rpartition(PATH)[2]), heard_at=hook.heard_at)
    await context.write(lambda connection: _save(connection, hook, renewed))
    saved_at = context.clock.monotonic()
    try:
        await put(session, context.connector, url)
    except OutcomeUnknown:
        raise  # either URL may be set: both tokens stay valid until the next rotation
    except KontorError:
        await context.write(lambda connection: _save(connection, renewed, hook))
        raise
    # Until then a host may still know only the former row.
    await asyncio.sleep(max(0.0, context.clock.real(saved_at + cached_for - context.clock.monotonic())))
    now, by = context.now(), current_source()

    def finish(connection: Connection) -> None:
        _save(connection, hook, replace(renewed, former_digest=None, state="active", trouble=None, checked_at=now))
        home = credentials.workspace_of(connection, credential_id)
        audit.record_by(connection, by, workspace=home, what="hook.rotated", subject=credential_id, now=now)

    await context.write(finish)


def _save(connection: Connection, former: Hook, hook: Hook) -> None:
    """Store a hook; what waits to be forwarded moves to it."""
    hooks.save(connection, hook)
    deliveries.move_queue(connection, former.queue_id, hook.queue_id, hook.checked_at or datetime.now(UTC))
