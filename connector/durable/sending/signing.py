"""Signatures of deliveries, according to Standard Webhooks."""

from __future__ import annotations

import base64
import hashlib
import secrets
from datetime import datetime

from standardwebhooks.webhooks import Webhook

PREFIX = "whsec_"
BYTES = 32


def new_secret() -> str:
    """Generate the secret of a new subscription; its owner sees it once."""
    return PREFIX + base64.b64encode(secrets.token_bytes(BYTES)).decode()


def message_id(subscription_id: str, item_id: str) -> str:
    """Return the message id: equal for every attempt of an item, and valid in a header whatever the item's id is."""
    return "msg_" + hashlib.sha256(f"{subscription_id}\n{item_id}".encode()).hexdigest()[:32]


def headers(secret: str, message: str, body: str, now: datetime, *more_secrets: str) -> dict[str, str]:
    """Return the three signature headers of an attempt; during a rotation they carry a signature for each secret."""
    signatures = (Webhook(one).sign(message, now, body) for one in (secret, *more_secrets))
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
