"""Registers the webhook of the sandbox's demo credential at start."""

from __future__ import annotations

import asyncio
import logging

from connector.core.errors import KontorError
from connector.durable.inbox import registration
from connector.interfaces.host_state import HostState
from connector.store import credentials

CHECK_SECONDS = 300.0
"""Shorter than the engine's interval, which would release a webhook without subscriptions."""
DEMO_KEY = "sandbox-key"
log = logging.getLogger("kontor.host")


async def keep_webhook_registered(state: HostState) -> None:
    """Register the host as webhook URL of the demo credential, and renew it; never replace a foreign URL."""
    credential, context = state.settings.own_credential, state.context
    if credential is None:
        return
    now = context.now()
    id = await context.write(lambda connection: credentials.save(connection, state.vault, credential, now))
    while True:
        try:
            await registration.ensure(context, id)
        except KontorError as error:
            log.warning("the sandbox's events do not come here: %s", error.message.en)
        await asyncio.sleep(CHECK_SECONDS)
