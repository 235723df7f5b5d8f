"""What the store keeps, as callers see it: without sealed secrets, ids as text, times with their zone."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from connector.core.values import json
from connector.store.credentials import CredentialInfo
from connector.store.cursors import StoredCursor
from connector.store.deliveries import Delivery
from connector.store.subscriptions import Subscription


def shown_subscription(one: Subscription) -> dict[str, Any]:
    """All but the sealed secret."""
    return {name: value for name, value in asdict(one).items() if name != "sealed_secret"}


def shown_place(cursor: StoredCursor | None) -> dict[str, Any]:
    """How far a poll trigger has read, and what its last poll met."""
    if cursor is None:
        return {}
    return {name: getattr(cursor, name) for name in ("cursor", "polled_at", "next_at", "trouble")}


def shown_delivery(one: Delivery) -> dict[str, Any]:
    """A delivery with its body as JSON."""
    return {**asdict(one), "id": str(one.id), "body": json.decode(one.body)}


def shown_credential(one: CredentialInfo, active: int) -> dict[str, Any]:
    """A kept credential, and how many active subscriptions need it. The key is never shown."""
    return {**asdict(one), "active_subscriptions": active}
