"""The service's one webhook URL: what it is now, and setting it."""

from __future__ import annotations

from connector.core.errors import NotFound, OutcomeUnknown
from connector.runtime.connector import Connector
from connector.runtime.request import build_call
from connector.runtime.session import AsyncSession

READ, SET = "webhook_url_get", "webhook_url_set"
"""The roles of the actions that read and set it."""


async def current_url(session: AsyncSession) -> str | None:
    """The URL to which events go now; None when there is none."""
    try:
        url: str | None = (await session.invoke(session.id_for(READ))).output["webhook_url"]
    except NotFound:  # there is no id here that could be wrong: none is set
        return None
    return url


async def put_url(session: AsyncSession, connector: Connector, url: str | None) -> None:
    """Sets the URL; None removes it, for which an empty text is assumed.

    It goes past the form of "Set webhook URL", which rightly takes public addresses only: a former owner's address is
    put back as it was, and a trial run lives on this machine. The service judges in any case. It goes past the journal
    too, which must not know the token in our address; setting it twice does no harm, and it can be read back.
    """
    try:
        await session.client.call(
            build_call(connector.action_for(SET), {"webhook_url": url or ""}, session.credential.wire)
        )
    except OutcomeUnknown:
        if await current_url(session) != url:
            raise
