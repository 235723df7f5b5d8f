"""A trial with the sandbox: its demo key is kept, and its events flow here from the start."""

from __future__ import annotations

import asyncio
import logging

from connector.core.errors import KontorError
from connector.durable.inbox import registration
from connector.interfaces.host_state import HostState
from connector.store import credentials

EVERY_SECONDS = 300.0
"""More often than the engine looks: a hub that nobody subscribes to would be given back then."""
DEMO_KEY = "sandbox-key"
log = logging.getLogger("kontor.host")


async def keep_events_flowing(state: HostState) -> None:
    """Registers the hub for the demo credential and keeps it so; somebody else's address is left alone."""
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
        await asyncio.sleep(EVERY_SECONDS)
