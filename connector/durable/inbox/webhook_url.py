"""Reads and sets the service's webhook URL."""

from __future__ import annotations

from connector.core.errors import NotFound, OutcomeUnknown
from connector.runtime.connector import Connector
from connector.runtime.request import build_call
from connector.runtime.session import AsyncSession

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
