"""Registers the hub's webhook URL at the service, checks it, and restores the former one at the end.

The service has a single webhook URL. So the current one is read first; a foreign one is replaced only if the caller
asks for it; and ours is checked every ten minutes (`check_due`), since another system may replace it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection

from connector.core.callers import current_source
from connector.core.errors import InputError, NotFound, OutcomeUnknown, Refused
from connector.core.messages import ANYWHERE, Text, say
from connector.core.timing import DEAD_AFTER_SECONDS
from connector.core.values import json
from connector.durable.context import JobContext
from connector.durable.inbox.baseline import take_baseline
from connector.durable.work import hold_lease
from connector.runtime.connector import Connector
from connector.runtime.requests.request import build_call
from connector.runtime.session import AsyncSession
from connector.store.triggers import deliveries, hooks
from connector.store.triggers.hooks import Hook
from connector.store.trust import audit, credentials

READ, SET = "webhook_url_get", "webhook_url_set"
"""The roles of the actions that read and set it."""


async def current_url(session: AsyncSession) -> str | None:
    """Return the registered webhook URL; None when there is none."""
    try:
        url: str | None = (await session.invoke(session.id_for(READ))).output["webhook_url"]
    except NotFound:  # the request has no id that could be wrong, so none is set
        return None
    return url


async def put_url(session: AsyncSession, connector: Connector, url: str | None) -> None:
    """Set the URL; None removes it, for which an empty text is assumed.

    This bypasses the validation of the action "Set webhook URL", which accepts public addresses only: a former URL is
    restored as it was, and a trial run uses a local one. The service validates in any case. It bypasses the journal
    too, which must not contain the token in our URL; setting it twice is harmless, and it can be read back.
    """
    try:
        await session.send(build_call(connector.action_for(SET), {"webhook_url": url or ""}, session.credential.wire))
    except OutcomeUnknown:
        if await current_url(session) != url:
            raise


WAIT_SECONDS = 0.2
MAX_WAIT_SECONDS = DEAD_AFTER_SECONDS + 5
"""Long enough to take over from a host that died while it registered."""


def lease_name(credential_id: str) -> str:
    """Return the name of the lease under which one host at a time changes or checks a credential's hook."""
    return f"hook:{credential_id}"


class WebhookUrlTaken(InputError):
    """Another system's webhook URL is registered. Nothing was changed."""


async def ensure(context: JobContext, credential_id: str, takeover: bool = False, pass_on: bool = False) -> Hook:
    """Register our webhook URL; raise when a foreign one is registered and `takeover` is not set.

    With `pass_on`, events are also forwarded to the former URL; that lasts until release, since another flow may rely
    on it.
    """
    base = _public_url(context)
    for _ in range(int(MAX_WAIT_SECONDS / WAIT_SECONDS)):
        async with hold_lease(context, lease_name(credential_id)) as lease:
            if lease is not None:
                return await _ensure(context, credential_id, base, takeover, pass_on)
        await asyncio.sleep(WAIT_SECONDS)
    raise InputError(say("hub_busy"), remedy=say("hub_busy_remedy"), field="webhook_url")


async def _ensure(context: JobContext, credential_id: str, base: str, takeover: bool, pass_on: bool) -> Hook:
    session = await context.session(credential_id)
    before = await context.read(lambda connection: hooks.of_credential(connection, credential_id))
    hook = before if before is not None and before.state != "released" else None
    # After a release that the service refused, our URL is still registered; it is not a foreign one.
    ours = context.vault.open(before.sealed_url) if before else None
    current = await current_url(session)
    if hook and ours == current and ours is not None and ours.startswith(f"{base}/"):
        if pass_on and hook.former_url and not hook.pass_on:
            hook = replace(hook, pass_on=True)
            await context.write(partial(hooks.save, hook=hook))
        return await record_check(context, hook, "active", None)
    replaced = hook is not None and hook.former_digest is not None and hook.knows((current or "").rpartition("/")[2])
    foreign = current is not None and current != ours and not replaced
    if foreign and not takeover:
        host = urlsplit(current or "").hostname or "?"
        message = say("hub_url_taken", host=host)
        raise WebhookUrlTaken(message, remedy=say("hub_url_taken_remedy"), field="webhook_url")
    if hook is None:
        await take_baseline(context, credential_id, context.now())
    lasting = before if before is not None and (hook is not None or current == ours) else None
    former = current if foreign else lasting.former_url if lasting else None
    pass_on = pass_on or (hook is not None and hook.pass_on and hook.former_url == former)
    registered, url = new_hook(context, credential_id, base, former, pass_on)
    # Stored before it is registered: the first event may arrive at once.
    await context.write(lambda connection: hooks.save(connection, registered))
    await put_url(session, context.connector, url)
    details = {"former_host": urlsplit(former).hostname} if former else {}
    return await record_check(context, registered, "active", None, what="webhook_url.set", details=details)


def new_hook(context: JobContext, credential_id: str, base: str, former: str | None, pass_on: bool) -> tuple[Hook, str]:
    """Return a hook with a new token, and its URL."""
    token = secrets.token_urlsafe(32)
    url = f"{base}/hooks/{token}"
    hook = Hook(
        token_digest=hooks.digest(token),
        credential_id=credential_id,
        sealed_url=context.vault.seal(url),
        former_url=former,
        pass_on=pass_on and former is not None,
        state="drifted",
        checked_at=context.now(),
        heard_at=context.now(),
        trouble=trouble_of(say("hub_not_yet_set"), say("hub_drifted_remedy")),
    )
    return hook, url


async def release(context: JobContext, credential_id: str) -> bool:
    """Restore the former URL if ours is still registered; False when there was nothing to restore."""
    async with hold_lease(context, lease_name(credential_id)) as lease:
        hook = await context.read(lambda connection: hooks.of_credential(connection, credential_id))
        if lease is None or hook is None or hook.state == "released":
            return False
        return await release_hook(context, hook)


async def release_hook(context: JobContext, hook: Hook) -> bool:
    """Restore the former URL if this hook's is still registered, under its lease; return whether it was."""
    session = await context.session(hook.credential_id)
    ours = await current_url(session) == context.vault.open(hook.sealed_url)
    trouble = None
    if ours:
        try:
            await put_url(session, context.connector, hook.former_url)
        except Refused as error:  # how to remove the URL is not documented; events are then answered with 404
            trouble = trouble_of(error.message, error.remedy)
    await record_check(context, hook, "released", trouble, what="webhook_url.released", details={"restored": ours})
    return ours


async def stop_passing_on(context: JobContext, credential_id: str) -> None:
    """Stop forwarding events to the former URL, and drop what waits for it."""
    now, by = context.now(), current_source()

    def stop(connection: Connection) -> None:
        hook = hooks.of_credential(connection, credential_id)
        if hook is None:
            return
        hooks.stop_forwarding(connection, hook.token_digest)
        deliveries.end_waiting(connection, hook.queue_id)
        home, what = credentials.workspace_of(connection, credential_id), "webhook_url.forwarding_stopped"
        audit.record_by(connection, by, workspace=home, what=what, subject=credential_id, now=now)

    await context.write(stop)


async def record_check(
    context: JobContext,
    hook: Hook,
    state: hooks.State,
    trouble: str | None,
    *,
    what: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> Hook:
    """Record the result of a check; `what` says what was changed at the service, for the audit log."""
    now, by = context.now(), current_source()

    def change(connection: Connection) -> None:
        hooks.record_check(connection, hook.token_digest, state, trouble, now)
        if what is not None:
            home = credentials.workspace_of(connection, hook.credential_id)
            audit.record_by(
                connection, by, workspace=home, what=what, subject=hook.credential_id, details=details, now=now
            )

    await context.write(change)
    return replace(hook, state=state, trouble=trouble, checked_at=now)


def trouble_of(message: Text, remedy: Text) -> str:
    """Return a problem as it is stored with a hook."""
    return json.encode({"message": message.as_dict(ANYWHERE), "remedy": remedy.as_dict(ANYWHERE)}).decode()


def _public_url(context: JobContext) -> str:
    base = (context.public_url or "").rstrip("/")
    if not base or (not base.startswith("https://") and not context.allow_loopback_hooks):
        raise InputError(say("hub_no_public_url"), remedy=say("hub_no_public_url_remedy"), field="public_url")
    return base
