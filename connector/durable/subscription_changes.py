"""Ends subscriptions, replaces their secrets and replays deliveries, each with its entry in the audit log."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from connector.core.call_source import CallSource
from connector.durable.outbox.signing import new_secret
from connector.store import audit, credentials, deliveries, subscriptions
from connector.store.vault import Vault

BOTH_SIGN = timedelta(days=1)
"""How long the former secret signs beside the new one."""


def end(connection: Connection, by: CallSource, id: str, why: str, now: datetime) -> bool:
    """End a subscription and drop what waits for it; False when it had already ended."""
    ended = subscriptions.end(connection, id, why, now)
    deliveries.end_waiting(connection, id)
    if ended:
        details = {"why": why}
        home = _workspace(connection, id)
        audit.record_by(connection, by, workspace=home, what="subscription.ended", subject=id, details=details, now=now)
    return ended


def replace_secret(
    connection: Connection, vault: Vault, by: CallSource, id: str, now: datetime
) -> dict[str, Any] | None:
    """Replace the secret that signs deliveries, and return the document that shows it this once; for a day both sign.

    None when the subscription has ended.
    """
    secret, until = new_secret(), now + BOTH_SIGN
    if not subscriptions.replace_secret(connection, id, vault.seal(secret), until):
        return None
    home = _workspace(connection, id)
    audit.record_by(connection, by, workspace=home, what="subscription.secret_replaced", subject=id, now=now)
    return {"ok": True, "id": id, "secret": secret, "former_valid_until": until}


def replay(connection: Connection, by: CallSource, workspace: str | None, delivery_id: int, now: datetime) -> bool:
    """Enqueue a delivery of a workspace again; False when there is none, or it is still waiting."""
    replayed = deliveries.replay(connection, workspace, delivery_id, now)
    found = deliveries.find(connection, workspace, delivery_id) if replayed else None
    if found is not None:
        details = {"subscription": found.subscription_id}
        audit.record_by(
            connection,
            by,
            workspace=workspace or _workspace(connection, found.subscription_id),
            what="delivery.replayed",
            subject=str(delivery_id),
            details=details,
            now=now,
        )
    return replayed


def _workspace(connection: Connection, subscription_id: str) -> str:
    found = subscriptions.get(connection, subscription_id)
    return credentials.workspace_of(connection, found.credential_id) if found is not None else ""
