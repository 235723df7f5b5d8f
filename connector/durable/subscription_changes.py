"""Pauses, resumes, redirects and ends subscriptions, replaces their secrets and replays deliveries.

Each change has its entry in the audit log, and one in the timeline that the subscription's page shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection

from connector.core.call_source import CallSource
from connector.core.digest import digest
from connector.core.roles import check_role
from connector.durable.sending.signing import new_secret
from connector.store import audit, credentials, deliveries, subscriptions, timeline
from connector.store.vault import Vault

BOTH_SIGN = timedelta(days=1)
"""How long the former secret signs beside the new one."""


def check_may_change(connection: Connection, by: CallSource, id: str) -> None:
    """Raise unless whoever asks may change the subscription: where alerts go is an admin's to say."""
    found = subscriptions.get(connection, id)
    if found is not None:
        check_role(by.actor, "admin" if found.carries_alerts else "operator")


def end(connection: Connection, by: CallSource, id: str, why: str, now: datetime) -> bool:
    """End a subscription and drop what waits for it; False when it had already ended."""
    check_may_change(connection, by, id)
    ended = subscriptions.end(connection, id, why, now)
    deliveries.end_waiting(connection, id)
    if ended:
        record(connection, by, "ended", id, now, {"why": why})
    return ended


def pause(connection: Connection, by: CallSource, id: str, now: datetime) -> bool:
    """Let the deliveries wait; False when it has ended or is paused already."""
    check_may_change(connection, by, id)
    paused = subscriptions.pause(connection, id, now)
    if paused:
        record(connection, by, "paused", id, now)
    return paused


def resume(connection: Connection, by: CallSource, id: str, now: datetime) -> bool:
    """Send the deliveries that wait, the oldest at once; False when it is not paused."""
    check_may_change(connection, by, id)
    resumed = subscriptions.resume(connection, id)
    if resumed:
        deliveries.try_now(connection, id, now)
        record(connection, by, "resumed", id, now, {"waiting": deliveries.count_waiting(connection, id)})
    return resumed


def change_target(connection: Connection, by: CallSource, id: str, target_url: str, now: datetime) -> bool:
    """Send to another URL from now on, what waits included; False when it has ended, or an equal one goes there."""
    check_may_change(connection, by, id)
    found = subscriptions.get(connection, id)
    if found is None:
        return False
    changed = subscriptions.change_target(
        connection, id, target_url, subscription_digest(found.trigger, found.inputs, target_url)
    )
    if changed:
        deliveries.try_now(connection, id, now)
        host = urlsplit(target_url).hostname  # the rest of a target often holds a secret
        record(connection, by, "target_changed", id, now, {"target_host": host})
    return changed


def try_now(connection: Connection, by: CallSource, id: str, now: datetime) -> bool:
    """Send the oldest delivery that waits at once, with a new series of attempts; False when none waits."""
    check_may_change(connection, by, id)
    tried = deliveries.try_now(connection, id, now)
    if tried:
        record(connection, by, "retried", id, now)
    return tried


def subscription_digest(trigger: str, inputs: Mapping[str, Any], target_url: str) -> str:
    """Return what is equal for subscriptions of which a credential has one."""
    return digest(trigger, {"inputs": inputs, "target_url": target_url})


def replace_secret(
    connection: Connection, vault: Vault, by: CallSource, id: str, now: datetime
) -> dict[str, Any] | None:
    """Replace the secret that signs deliveries, and return the document that shows it this once; for a day both sign.

    None when the subscription has ended.
    """
    check_may_change(connection, by, id)
    secret, until = new_secret(), now + BOTH_SIGN
    if not subscriptions.replace_secret(connection, id, vault.seal(secret), until):
        return None
    record(connection, by, "secret_replaced", id, now)
    return {"ok": True, "id": id, "secret": secret, "former_valid_until": until}


def replay(connection: Connection, by: CallSource, workspace: str | None, delivery_id: int, now: datetime) -> bool:
    """Enqueue a delivery of a workspace again; False when there is none, or it is still waiting."""
    found = deliveries.find(connection, workspace, delivery_id)
    if found is None:
        return False
    check_may_change(connection, by, found.subscription_id)
    if not deliveries.replay(connection, workspace, delivery_id, now):
        return False
    audit.record_by(
        connection,
        by,
        workspace=workspace or _workspace(connection, found.subscription_id),
        what="delivery.replayed",
        subject=str(delivery_id),
        details={"subscription": found.subscription_id},
        now=now,
    )
    timeline.record(connection, found.subscription_id, "delivery.replayed", now, {"by": by.person})
    return True


def record(
    connection: Connection,
    by: CallSource,
    became: str,
    id: str,
    now: datetime,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Tell in the audit log and in the timeline what became of a subscription."""
    home, what = _workspace(connection, id), f"subscription.{became}"
    audit.record_by(connection, by, workspace=home, what=what, subject=id, details=details, now=now)
    timeline.record(connection, id, what, now, {**(details or {}), "by": by.person})


def _workspace(connection: Connection, subscription_id: str) -> str:
    found = subscriptions.get(connection, subscription_id)
    return credentials.workspace_of(connection, found.credential_id) if found is not None else ""
