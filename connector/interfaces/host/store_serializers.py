"""Converts stored records to JSON documents, without secrets."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from connector.core.values import json
from connector.durable.subscription_health import Health
from connector.store.credentials import CredentialInfo
from connector.store.cursors import StoredCursor
from connector.store.deliveries import Delivery
from connector.store.subscriptions import SECRETS, Subscription


def subscription_json(one: Subscription) -> dict[str, Any]:
    """Return a subscription without its encrypted secret."""
    return {name: value for name, value in asdict(one).items() if name not in SECRETS}


def cursor_json(cursor: StoredCursor | None) -> dict[str, Any]:
    """Return the cursor of a poll trigger and its last error."""
    if cursor is None:
        return {}
    return {name: getattr(cursor, name) for name in ("cursor", "polled_at", "next_at", "trouble")}


def health_json(health: Health) -> dict[str, Any]:
    """Return how a subscription fares."""
    reason = health.reason.as_dict() if health.reason else None
    return {"state": health.state, "reason": reason, "next_try": health.next_try, "waiting": health.waiting}


def delivery_json(one: Delivery) -> dict[str, Any]:
    """Return a delivery with its id as text and its body as JSON."""
    return {**asdict(one), "id": str(one.id), "body": json.decode(one.body)}


def credential_json(one: CredentialInfo, active: int) -> dict[str, Any]:
    """Return a stored credential, without its key, and the number of its active subscriptions."""
    return {**asdict(one), "active_subscriptions": active}
