"""Registers the hub at the service: looks before it writes, takes nobody's URL by accident, gives it back at the end.

The service knows one webhook URL for everything. So what stands there is read first; a foreign one is left alone
unless somebody says otherwise; and from then on it is looked at every ten minutes, since anybody may replace ours.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import urlsplit

from connector.core.errors import InputError, KontorError, Refused
from connector.core.messages import Text, say
from connector.core.values import json
from connector.durable.context import JobContext
from connector.durable.inbox.baseline import take_baseline
from connector.durable.inbox.lease import held
from connector.durable.inbox.webhook_url import current_url, put_url
from connector.store import hooks, payment_states, subscriptions
from connector.store.hooks import Hook

LOOK_EVERY = timedelta(minutes=10)
SILENT_AFTER = timedelta(minutes=20)
"""How much later than the last event a payment may change before that is remarkable."""
WAIT_SECONDS = 0.2
MOST_WAITS = 50


class WebhookUrlTaken(InputError):
    """The webhook URL is somebody else's. Nothing was changed."""


async def ensure(context: JobContext, credential_id: str, takeover: bool = False, pass_on: bool = False) -> Hook:
    """Makes sure that the service's events come here; raises when the URL is somebody else's and `takeover` is not set.

    With `pass_on`, events also go on to whoever had the URL before; that stays so until the URL is given back, since
    another flow may rely on it.
    """
    base = _public_url(context)
    for _ in range(MOST_WAITS):
        async with held(context, f"hook:{credential_id}") as lease:
            if lease is not None:
                return await _ensure(context, credential_id, base, takeover, pass_on)
        await asyncio.sleep(WAIT_SECONDS)
    raise InputError(say("hub_busy"), remedy=say("hub_busy_remedy"), field="webhook_url")


async def _ensure(context: JobContext, credential_id: str, base: str, takeover: bool, pass_on: bool) -> Hook:
    session = await context.session(credential_id)
    before = await context.read(lambda connection: hooks.of_credential(connection, credential_id))
    hook = before if before is not None and before.state != "released" else None
    # A service that would not let go of our URL still has it after a release; it is no stranger's.
    ours = context.vault.open(before.sealed_url) if before else None
    standing = await current_url(session)
    if hook and ours == standing and ours is not None and ours.startswith(f"{base}/"):
        if pass_on and hook.former_url and not hook.pass_on:
            hook = replace(hook, pass_on=True)
            await context.write(partial(hooks.save, hook=hook))
        return await _checked(context, hook, "active", None)
    foreign = standing is not None and standing != ours
    if foreign and not takeover:
        host = urlsplit(standing or "").hostname or "?"
        message = say("hub_url_taken", host=host)
        raise WebhookUrlTaken(message, remedy=say("hub_url_taken_remedy"), field="webhook_url")
    if hook is None:
        await take_baseline(context, credential_id, context.now())
    lasting = before if before is not None and (hook is not None or standing == ours) else None
    former = standing if foreign else lasting.former_url if lasting else None
    pass_on = pass_on or (hook is not None and hook.pass_on and hook.former_url == former)
    registered, url = _new_hook(context, credential_id, base, former, pass_on)
    # On disk before the service learns of it: the first event may come at once.
    await context.write(lambda connection: hooks.save(connection, registered))
    await put_url(session, context.connector, url)
    return await _checked(context, registered, "active", None)


def _new_hook(
    context: JobContext, credential_id: str, base: str, former: str | None, pass_on: bool
) -> tuple[Hook, str]:
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
        trouble=_trouble(say("hub_not_yet_set"), say("hub_drifted_remedy")),
    )
    return hook, url


async def release(context: JobContext, credential_id: str) -> bool:
    """Gives the URL back to whoever had it before, if it is still ours; False when there was nothing to give back."""
    async with held(context, f"hook:{credential_id}") as lease:
        hook = await context.read(lambda connection: hooks.of_credential(connection, credential_id))
        if lease is None or hook is None or hook.state == "released":
            return False
        return await _release(context, hook)


async def _release(context: JobContext, hook: Hook) -> bool:
    session = await context.session(hook.credential_id)
    ours = await current_url(session) == context.vault.open(hook.sealed_url)
    trouble = None
    if ours:
        try:
            await put_url(session, context.connector, hook.former_url)
        except Refused as error:  # how the service has its URL removed is not shown; events then meet a closed door
            trouble = _trouble(error.message, error.remedy)
    await _checked(context, hook, "released", trouble)
    return ours


async def check_due(context: JobContext, now: datetime) -> int:
    """Looks at the URL of every hook whose last look is ten minutes old; returns how many were looked at."""
    standing = await context.read(hooks.registered)
    due = [hook for hook in standing if hook.checked_at is None or hook.checked_at <= now - LOOK_EVERY]
    return sum(await asyncio.gather(*(_check(context, hook) for hook in due)))


async def _check(context: JobContext, hook: Hook) -> bool:
    async with held(context, f"hook:{hook.credential_id}") as lease:
        unchanged = await context.read(lambda connection: hooks.by_token(connection, hook.token_digest)) == hook
        if lease is None or not unchanged:  # somebody is at it, or was just before us
            return False
        try:
            wanted = await context.read(lambda connection: subscriptions.active(connection, hook.credential_id))
            if not wanted:
                await _release(context, hook)
                return True
            session = await context.session(hook.credential_id)
            standing = await current_url(session)
        except KontorError as error:
            await _checked(context, hook, hook.state, _trouble(error.message, error.remedy))
            return True
        if standing == context.vault.open(hook.sealed_url):
            await _checked(context, hook, "active", await _silence(context, hook))
        else:
            host = urlsplit(standing or "").hostname
            message = say("hub_drifted", host=host) if host else say("hub_cleared")
            await _checked(context, hook, "drifted", _trouble(message, say("hub_drifted_remedy")))
        return True


async def _silence(context: JobContext, hook: Hook) -> str | None:
    """Says so when payments change and no event tells of it."""
    changed = await context.read(lambda connection: payment_states.last_change(connection, hook.credential_id))
    if changed is None or hook.heard_at is None or changed - hook.heard_at < SILENT_AFTER:
        return None
    since = hook.heard_at.isoformat(timespec="minutes")
    return _trouble(say("hub_silent", since=since), say("hub_silent_remedy"))


async def _checked(context: JobContext, hook: Hook, state: hooks.State, trouble: str | None) -> Hook:
    now = context.now()
    await context.write(lambda connection: hooks.record_check(connection, hook.token_digest, state, trouble, now))
    return replace(hook, state=state, trouble=trouble, checked_at=now)


def _trouble(message: Text, remedy: Text) -> str:
    return json.encode({"message": message.as_dict(), "remedy": remedy.as_dict()}).decode()


def _public_url(context: JobContext) -> str:
    base = (context.public_url or "").rstrip("/")
    if not base or (not base.startswith("https://") and not context.allow_loopback_hooks):
        raise InputError(say("hub_no_public_url"), remedy=say("hub_no_public_url_remedy"), field="public_url")
    return base
