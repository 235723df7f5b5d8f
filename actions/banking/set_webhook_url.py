# generated: `make handlers` writes it anew
"""Set webhook URL."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action
from connector.resources import WebhookUrl


class SetWebhookUrl(Action[WebhookUrl]):
    """Sets the one address to which the service sends all banking events."""

    manifest_id: ClassVar[str] = "set_webhook_url"

    webhook_url: str
