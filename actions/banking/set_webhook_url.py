"""Reads the answer to setting the webhook URL. It has succeeded, so no shape of it is an error."""

from __future__ import annotations

from typing import Any

from connector.core.resources.envelopes import webhook_url_in


def shape(reply: Any) -> dict[str, Any]:
    """The URL if the service repeats it, and otherwise whatever it said instead: never a null that reads as unset."""
    try:
        url = webhook_url_in(reply)
    except ValueError:
        url = None
    return {"webhook_url": url} if url else {"answer": reply}
