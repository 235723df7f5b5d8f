# generated: `make handlers` writes it anew
"""Get webhook URL."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action
from connector.resources import WebhookUrl


class GetWebhookUrl(Action[WebhookUrl]):
    """Finds the one address to which the service sends all banking events."""

    manifest_id: ClassVar[str] = "get_webhook_url"
