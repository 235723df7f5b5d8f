"""Signatures of deliveries, according to Standard Webhooks: how Kontor makes them, and how a receiver checks them."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook, WebhookVerificationError

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values import json

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
    signatures = (Webhook(key).sign(message, now, body) for key in (secret, *more_secrets))
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def verify_delivery(headers: Mapping[str, str], body: bytes | str, secret: str) -> Any:
    """Return the item of a delivery, with exact amounts, once it is certain that Kontor has sent it.

    `headers` and `body` are those of the request as it came, `secret` the one that was shown when the subscription was
    made. Raise `InputError` when the signature is missing or wrong, or made more than five minutes ago.
    """
    try:
        Webhook(secret).verify(body, dict(headers), json_parse=False)
        return json.decode(body if isinstance(body, bytes) else body.encode())
    except (WebhookVerificationError, EmptyWebhookSecretError, ValueError) as error:
        remedy = say("delivery_unproven_remedy")
        raise InputError(say("delivery_unproven"), remedy=remedy, field="webhook-signature") from error
