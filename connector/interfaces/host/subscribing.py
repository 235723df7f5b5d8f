"""Begins and ends subscriptions for callers: the key kept sealed, the hub registered for events, all of it undone."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.durable.inbox import registration
from connector.durable.outbox.address import check_target
from connector.durable.subscribe import SubscriptionRequest, subscribe
from connector.interfaces.host.caller import Caller
from connector.interfaces.host.parts import HostParts
from connector.interfaces.host_state import HostState
from connector.runtime import checks
from connector.runtime.poll import check_start
from connector.store import credentials, deliveries, subscriptions
from connector.store.subscriptions import Subscription

if TYPE_CHECKING:
    from connector.durable.context import JobContext


async def begin(
    parts: HostParts, caller: Caller, wish: SubscriptionRequest, *, takeover: bool, pass_on: bool
) -> tuple[Subscription, str]:
    """Begins a subscription; returns it with its secret. Nothing is stored unless the wish and the key are good."""
    context, connector = parts.state.context, parts.state.connector
    trigger = connector.trigger(wish.trigger)
    checks.check(trigger, connector.inputs(trigger).clean(wish.inputs))
    check_start(wish.start)
    check_target(wish.target_url, allow_private=context.allow_private_targets)
    async with parts.sessions.of(caller) as session:
        await session.test()  # free, and a key that does not work is found out now rather than at the first poll
    credential = caller.credential(parts.state.settings)
    now = context.now()
    credential_id = await context.write(
        lambda connection: credentials.save(connection, parts.state.vault, credential, now)
    )
    try:
        if trigger.source == "event":
            await registration.ensure(context, credential_id, takeover, pass_on)
        return await subscribe(context, credential_id, wish, now)
    except BaseException:
        await _forget_unused(context, credential_id)
        raise


async def end(state: HostState, subscription: Subscription, why: str) -> bool:
    """Ends a subscription; with the last one of its credential, the webhook URL goes back to whoever had it.

    Not so in a trial, where the sandbox's events flow whether somebody subscribes or not.
    """
    context = state.context
    now = context.now()

    def finish(connection: Connection) -> tuple[bool, bool]:
        ended = subscriptions.end(connection, subscription.id, why, now)
        deliveries.end_waiting(connection, subscription.id)
        return ended, not subscriptions.active(connection, subscription.credential_id)

    ended, last = await context.write(finish)
    if ended and last and not state.sandboxed:
        with contextlib.suppress(KontorError):  # the engine looks every ten minutes, and does it then
            await registration.release(context, subscription.credential_id)
    return ended


async def revoke(context: JobContext, credential_id: str) -> int:
    """Ends all that runs under a credential, and then its use; returns how many subscriptions ended."""
    with contextlib.suppress(KontorError):  # a key that was taken back at the service cannot give the URL back
        await registration.release(context, credential_id)
    now = context.now()

    def finish(connection: Connection) -> int:
        running = subscriptions.active(connection, credential_id)
        for one in running:
            subscriptions.end(connection, one.id, "revoked", now)
            deliveries.end_waiting(connection, one.id)
        credentials.revoke(connection, credential_id, now)
        return len(running)

    return await context.write(finish)


async def _forget_unused(context: JobContext, credential_id: str) -> None:
    now = context.now()

    def forget(connection: Connection) -> None:
        if not subscriptions.active(connection, credential_id):
            credentials.revoke(connection, credential_id, now)

    await context.write(forget)
