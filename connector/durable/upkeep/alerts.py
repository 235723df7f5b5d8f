"""Tells a workspace's webhook what needs a person: each alert once when it begins, and once when it is over.

The webhook is a subscription without a trigger, so that alerts are signed, retried and shown like any delivery.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from connector.core.callers import CallSource
from connector.core.values import json
from connector.durable import subscriptions as subscription_changes
from connector.durable.sending.address import check_target
from connector.durable.sending.signing import new_secret
from connector.durable.upkeep.attention import AttentionItem, attention_items
from connector.durable.upkeep.bank_checks import ask_soon
from connector.durable.work import KeyedWork
from connector.store.runs import alerts
from connector.store.runs.alerts import Alert
from connector.store.triggers import deliveries, due_work, subscriptions, timeline
from connector.store.trust import credentials

if TYPE_CHECKING:
    from connector.durable.context import JobContext

CHECK_SECONDS = 10.0
ABOUT = "alerts:"
"""The beginning of what the timeline calls the alerts of a workspace."""


class AlertWork(KeyedWork):
    """Compares what is wrong with what was told, workspace by workspace. Unique rows keep it from telling twice."""

    name = due_work.ALERTS
    most = 4

    async def work(self, key: str) -> int:
        """Tell what began and what is over."""
        return await notify_alerts(self.context, key)

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when to look again; never, once the workspace wants no alerts."""
        wanted = alerts.target_of(connection, key) is not None
        return self.context.now() + timedelta(seconds=CHECK_SECONDS) if wanted else None


async def notify_alerts(context: JobContext, workspace: str) -> int:
    """Enqueue what is new for a workspace; return how many."""
    now = context.now()
    wrong = await context.read(lambda store: attention_items(store, context.connector, workspace, now))

    def tell(connection: Connection) -> int:
        target = alerts.target_of(connection, workspace)
        if target is None:
            return 0
        # That alerts themselves do not arrive can only be shown elsewhere.
        needs: dict[Alert, AttentionItem] = {
            (item.kind, item.subject[: alerts.MAX_SUBJECT]): item for item in wrong if item.subject != target
        }
        known, count = alerts.open_alerts(connection, workspace), 0
        for alert, needed in needs.items():
            if alert not in known and alerts.begin_alert(connection, workspace, alert, now):
                item = _begun(needed, workspace, now, context.public_url)
                count += _enqueue(connection, workspace, target, item, now)
        for alert, began in known.items():
            if alert not in needs and alerts.end_alert(connection, workspace, alert):
                item = {"kind": alert[0], "subject": alert[1], "workspace": workspace, "state": "over"}
                item |= {"began_at": began, "at": now, "_id": f"{alert[0]}:{alert[1]}:{began.timestamp()}:over"}
                count += _enqueue(connection, workspace, target, item, now)
        return count

    count = await context.write(tell)
    if count:
        context.wake()
    return count


async def set_alert_target(context: JobContext, by: CallSource, credential_id: str, url: str | None) -> str | None:
    """Send the alerts of a workspace to a URL, and return the secret that signs them, this once; None: nowhere."""
    target = None if url is None else check_target(url, inbox=True, allow_private=context.allow_private_targets)
    secret, now = new_secret(), context.now()
    sealed = context.vault.seal(secret)

    def change(connection: Connection) -> None:
        workspace = credentials.workspace_of(connection, credential_id)
        former = alerts.target_of(connection, workspace)
        if former is not None:
            subscription_changes.end(connection, by, former, "replaced", now)
        created = None
        if target is not None:
            created = subscriptions.create_once(
                connection,
                digest=subscription_changes.subscription_digest(subscriptions.ALERTS, {}, target),
                credential_id=credential_id,
                trigger=subscriptions.ALERTS,
                inputs={},
                target_url=target,
                sealed_secret=sealed,
                now=now,
            )
            assert created is not None  # the former one has just ended
            subscription_changes.record(connection, by, "created", created.id, now, {"trigger": subscriptions.ALERTS})
        alerts.set_target(connection, workspace, created.id if created is not None else None)
        due_work.schedule(connection, due_work.ALERTS, workspace, now)
        if created is not None:
            ask_soon(connection, credential_id, now)

    await context.write(change)
    context.wake()
    return secret if target is not None else None


def _begun(item: AttentionItem, workspace: str, now: datetime, public_url: str | None) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "subject": item.subject,
        "workspace": workspace,
        "state": "begun",
        "area": item.area,
        "since": item.since,
        "message": item.message.as_dict(),
        "remedy": item.remedy.as_dict(),
        "at": now,
        "url": item.url(public_url),
        "_id": f"{item.kind}:{item.subject}:{now.timestamp()}:begun",
    }


def _enqueue(connection: Connection, workspace: str, target: str, item: dict[str, Any], now: datetime) -> int:
    what = f"alert.{item['state']}"
    details = {"kind": item["kind"], "subject": item["subject"], "message": item.get("message")}
    timeline.record(connection, ABOUT + workspace, what, now, details)
    about = f"{item['kind']}:{item['subject']}"[:200]  # its end must not arrive before its beginning
    return int(deliveries.enqueue(connection, target, item["_id"][:200], json.encode(item).decode(), now, about))
