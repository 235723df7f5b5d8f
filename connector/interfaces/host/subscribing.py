"""Creates webhook subscriptions, including the stored credential and the webhook registration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection

from connector.durable.inbox import registration
from connector.durable.sending.address import check_target
from connector.durable.subscribe import Subscribed, SubscriptionRequest, check_request_key, subscribe
from connector.interfaces.host.caller import Caller
from connector.interfaces.host.services import HostServices
from connector.runtime import checks
from connector.runtime.poll import check_start
from connector.store import credentials, subscriptions

if TYPE_CHECKING:
    from connector.durable.context import JobContext


async def create_subscription(
    services: HostServices, caller: Caller, wish: SubscriptionRequest, *, takeover: bool, pass_on: bool
) -> Subscribed:
    """Create a subscription, or return an equal one; invalid inputs or keys store nothing."""
    context, connector = services.state.context, services.state.connector
    trigger = connector.trigger(wish.trigger)
    checks.check(trigger, connector.inputs(trigger).clean(wish.inputs))
    check_start(wish.start)
    check_request_key(wish.key)
    check_target(wish.target_url, inbox=True, allow_private=context.allow_private_targets)
    async with services.sessions.acquire(caller) as session:
        await session.test()  # free; an invalid key fails now instead of at the first poll
        workspace = await session.workspace()
    credential = caller.credential(services.state.settings)
    now = context.now()
    credential_id = await context.write(
        lambda connection: credentials.save(connection, services.state.vault, credential, now, workspace)
    )
    try:
        if trigger.needs_webhook_url:
            await registration.ensure(context, credential_id, takeover, pass_on)
        return await subscribe(context, credential_id, wish, now)
    except BaseException:
        await _revoke_if_unused(context, credential_id)
        raise


async def _revoke_if_unused(context: JobContext, credential_id: str) -> None:
    now = context.now()

    def forget(connection: Connection) -> None:
        if not subscriptions.active(connection, credential_id, with_alerts=True):
            credentials.revoke(connection, credential_id, now)

    await context.write(forget)
