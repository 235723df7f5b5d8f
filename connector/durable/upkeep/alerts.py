"""Tells a workspace's webhook what is wrong: each alert once when it begins, and once when it is over.

The webhook is a subscription without a trigger, so that alerts are signed, retried and shown like any delivery.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from connector.core import service_facts
from connector.core.callers import CallSource
from connector.core.errors import BudgetHeld
from connector.core.messages import Text, say
from connector.core.values import json
from connector.durable import subscriptions as subscription_changes
from connector.durable.sending.address import check_target
from connector.durable.sending.signing import new_secret
from connector.durable.subscriptions import health_of
from connector.durable.work import KeyedWork
from connector.runtime.connector import Connector
from connector.store.rates import usage
from connector.store.runs import alerts
from connector.store.runs.alerts import Alarm
from connector.store.schema import OPEN, runs
from connector.store.triggers import cursors, deliveries, due_work, events, hooks, subscriptions, timeline
from connector.store.trust import credentials
from connector.store.trust.credentials import CredentialInfo

if TYPE_CHECKING:
    from connector.durable.context import JobContext

MAX_EVENTS = 100
MAX_UNKNOWN = 50


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that a person should know of until it is over."""

    kind: str
    """`subscription_failing`, `webhook_url_lost`, `budget_used_up`, `outcome_unknown`, `bank_needs_attention`,
    `paid_twice` or `done_after_refusal`."""
    subject: str
    message: Text
    place: str
    """The page of the console where it is mended."""


def conditions_of(connection: Connection, connector: Connector, workspace: str, day: str) -> list[Condition]:
    """Return what is wrong; `day` is today in Berlin, for which the budget counts."""
    found = [
        *_write_alarms(connection, workspace, day),
        *_subscriptions(connection, connector, workspace),
        *_unknown_runs(connection, connector, workspace),
    ]
    for one in credentials.listed(connection, workspace):
        if one.revoked_at is None:
            found += [*_webhook_url(connection, one), *_budget(connection, one, day), *_banks(connection, one)]
    return found


def banks_in_error(connection: Connection, workspace: str) -> dict[str, Condition]:
    """Return the bank connections of a workspace whose latest confirmed event told of an error, by id."""
    kept = [one for one in credentials.listed(connection, workspace) if one.revoked_at is None]
    return {found.subject: found for one in kept for found in _banks(connection, one)}


def _subscriptions(connection: Connection, connector: Connector, workspace: str) -> Iterator[Condition]:
    for one in subscriptions.listed(connection, workspace):
        if one.state != subscriptions.ACTIVE:
            continue
        health = health_of(connection, connector.triggers, one)
        if health.reason is not None:  # also while it is paused: that mends nothing
            known = connector.triggers.get(one.trigger)
            name = known.title if known is not None else one.trigger
            message = say("alert_subscription_failing", name=name, why=health.reason)
            yield Condition("subscription_failing", one.id, message, f"subscriptions/{one.id}")


def _unknown_runs(connection: Connection, connector: Connector, workspace: str) -> Iterator[Condition]:
    unknown = select(runs.c.id, runs.c.action).where(OPEN, runs.c.workspace == workspace, runs.c.state == "unknown")
    for row in connection.execute(unknown.order_by(runs.c.id).limit(MAX_UNKNOWN)):
        known = connector.actions.get(row.action)
        name = known.title if known is not None else row.action
        yield Condition("outcome_unknown", row.id, say("alert_outcome_unknown", name=name), "")


def _write_alarms(connection: Connection, workspace: str, day: str) -> Iterator[Condition]:
    tomorrow = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1)
    for alarm in alerts.shown_alarms(connection, workspace, tomorrow):
        yield Condition(alarm.kind, alarm.subject, alarm_text(alarm), "runs")


def alarm_text(alarm: Alarm) -> Text:
    """Return what a person is told of an alarm."""
    if alarm.kind == "paid_twice":
        return say("alert_paid_twice", mark=alarm.subject, payments=", ".join(alarm.details["found"]))
    return say("alert_done_after_refusal", run=alarm.subject)


def _webhook_url(connection: Connection, one: CredentialInfo) -> Iterator[Condition]:
    hook = hooks.of_credential(connection, one.id)
    if hook is not None and hook.state == "drifted":
        yield Condition("webhook_url_lost", one.id, say("failing_webhook_url"), "doctor")


def _budget(connection: Connection, one: CredentialInfo, day: str) -> Iterator[Condition]:
    budget = usage.budget_of(connection, one.fingerprint)
    used_up = budget.per_day is not None and usage.spent_on(connection, one.fingerprint, day) >= budget.per_day
    held = any(
        cursor.trouble is not None and cursor.trouble.get("kind") == BudgetHeld.kind
        for cursor in cursors.scheduled(connection, one.fingerprint)
    )
    if used_up or held:
        yield Condition("budget_used_up", one.id, say("alert_budget_used_up"), "settings/budget")


def _banks(connection: Connection, one: CredentialInfo) -> Iterator[Condition]:
    """Bank connections whose latest confirmed event told of an error."""
    seen: set[str] = set()
    named = [event for event in service_facts.declared() if service_facts.about(event) == service_facts.BANK_CONNECTION]
    for event in events.listed(connection, one.id, MAX_EVENTS, "fired", named):
        data = json.decode(event.body).get("data") or {}
        bank = str(data.get(service_facts.declared()[event.event]["id"], ""))
        if not bank or bank in seen:
            continue
        seen.add(bank)
        if service_facts.well_status(event.event) is not None:
            yield Condition("bank_needs_attention", bank, say("alert_bank_needs_attention", id=bank), "operate")


CHECK_SECONDS = 10.0
ABOUT = "alerts:"
"""The beginning of what the timeline calls the alerts of a workspace."""


class AlertWork(KeyedWork):
    """Compares what is wrong with what was told, workspace by workspace. Unique rows keep it from telling twice."""

    name = due_work.ALERTS
    most = 4

    async def work(self, key: str) -> int:
        """Tell what began and what is over."""
        return await tell_alerts(self.context, key)

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when to look again; never, once the workspace wants no alerts."""
        wanted = alerts.target_of(connection, key) is not None
        return self.context.now() + timedelta(seconds=CHECK_SECONDS) if wanted else None


async def tell_alerts(context: JobContext, workspace: str) -> int:
    """Enqueue what is new for a workspace; return how many."""
    now, day = context.now(), context.clock.berlin_today().isoformat()

    wrong = await context.read(lambda connection: conditions_of(connection, context.connector, workspace, day))

    def tell(connection: Connection) -> int:
        target = alerts.target_of(connection, workspace)
        if target is None:
            return 0
        found = {(one.kind, one.subject[: alerts.MAX_SUBJECT]): one for one in wrong}
        known, count = alerts.open_alerts(connection, workspace), 0
        for alert, condition in found.items():
            if alert not in known and alerts.begin_alert(connection, workspace, alert, now):
                item = _item(condition, workspace, "begun", now, context.public_url)
                count += _enqueue(connection, workspace, target, item, now)
        for alert, began in known.items():
            if alert not in found and alerts.end_alert(connection, workspace, alert):
                item = {"kind": alert[0], "subject": alert[1], "workspace": workspace, "state": "over"}
                item |= {"began_at": began, "at": now, "_id": f"{alert[0]}:{alert[1]}:{began.timestamp()}:over"}
                count += _enqueue(connection, workspace, target, item, now)
        return count

    told = await context.write(tell)
    if told:
        context.wake()
    return told


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
        made = None
        if target is not None:
            made = subscriptions.create_once(
                connection,
                digest=subscription_changes.subscription_digest(subscriptions.ALERTS, {}, target),
                credential_id=credential_id,
                trigger=subscriptions.ALERTS,
                inputs={},
                target_url=target,
                sealed_secret=sealed,
                now=now,
            )
            assert made is not None  # the former one has just ended
            subscription_changes.record(connection, by, "created", made.id, now, {"trigger": subscriptions.ALERTS})
        alerts.set_target(connection, workspace, made.id if made is not None else None)
        due_work.schedule(connection, due_work.ALERTS, workspace, now)

    await context.write(change)
    context.wake()
    return secret if target is not None else None


def _item(one: Condition, workspace: str, state: str, now: datetime, public_url: str | None) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "subject": one.subject,
        "workspace": workspace,
        "state": state,
        "message": one.message.as_dict(),
        "at": now,
        "url": f"{public_url.rstrip('/')}/console/{one.place}" if public_url else None,
        "_id": f"{one.kind}:{one.subject}:{now.timestamp()}:{state}",
    }


def _enqueue(connection: Connection, workspace: str, target: str, item: dict[str, Any], now: datetime) -> int:
    what = f"alert.{item['state']}"
    told = {"kind": item["kind"], "subject": item["subject"], "message": item.get("message")}
    timeline.record(connection, ABOUT + workspace, what, now, told)
    about = f"{item['kind']}:{item['subject']}"[:200]  # its end must not arrive before its beginning
    return int(deliveries.enqueue(connection, target, item["_id"][:200], json.encode(item).decode(), now, about))
