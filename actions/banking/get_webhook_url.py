"""Reads the webhook URL out of an answer whose shape is not shown."""

from __future__ import annotations

from typing import Any

from connector.core.resources.envelopes import webhook_url_in


def shape(reply: Any) -> dict[str, Any]:
    """The URL under the name that setting it uses; null when none is set."""
    return {"webhook_url": webhook_url_in(reply)}
