"""The service's one webhook URL: what it is now, and setting it."""

from __future__ import annotations

from uuid import uuid4

from connector.errors import OutcomeUnknown
from connector.runtime.connector import Connector
from connector.runtime.session import AsyncSession

READ, SET = "get_webhook_url", "set_webhook_url"


async def current_url(session: AsyncSession) -> str | None:
    """The URL to which events go now; None when there is none."""
    url: str | None = (await session.invoke(READ)).output["webhook_url"]
    return url


async def put_url(session: AsyncSession, connector: Connector, url: str | None) -> None:
    """Sets the URL; None removes it, for which an empty text is assumed.

    It goes past the form of "Set webhook URL", which rightly takes public addresses only: a former owner's address is
    put back as it was, and a trial run lives on this machine. The service judges in any case.
    """
    request = connector.action(SET).request
    assert request is not None  # its manifest says so
    key = f"webhook-url-{uuid4()}"
    inputs = {"method": request.method, "path": request.path, "body": {"webhook_url": url or ""}}
    try:
        await session.invoke("call_api", inputs, key=key)
    except OutcomeUnknown:
        happened = await current_url(session) == url
        await session.settle(key, happened, "read back")
        if not happened:
            raise
