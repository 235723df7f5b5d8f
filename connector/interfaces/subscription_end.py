"""Ends a webhook subscription, for every face of a host."""

from __future__ import annotations

import contextlib

from sqlalchemy import Connection

from connector.core.call_source import CallSource, current_source
from connector.core.errors import KontorError
from connector.durable import subscription_changes
from connector.durable.inbox import registration
from connector.interfaces.host_state import HostState
from connector.store import subscriptions
from connector.store.subscriptions import Subscription


async def end_subscription(
    state: HostState, subscription: Subscription, why: str, source: CallSource | None = None
) -> bool:
    """End a subscription; after the last one of its credential, restore the previous webhook URL.

    With the sandbox the webhook stays registered, so that the console shows events without subscriptions.
    """
    context = state.context
    now, by = context.now(), source or current_source()

    def finish(connection: Connection) -> tuple[bool, bool]:
        ended = subscription_changes.end(connection, by, subscription.id, why, now)
        return ended, not subscriptions.active(connection, subscription.credential_id)

    ended, last = await context.write(finish)
    if ended and last and not state.sandboxed:
        with contextlib.suppress(KontorError):  # the engine retries every ten minutes
            await registration.release(context, subscription.credential_id)
    return ended
