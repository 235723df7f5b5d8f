"""What is wrong in a workspace just now, as far as the store knows: nothing is asked of the service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, select

from connector.core import service_events
from connector.core.errors import BudgetHeld
from connector.core.messages import Text, say
from connector.core.values import json
from connector.durable.subscription_health import health_of
from connector.runtime.connector import Connector
from connector.store import budgets, credentials, cursors, events, hooks, subscriptions, usage, write_alarms
from connector.store.credentials import CredentialInfo
from connector.store.schema import OPEN, runs
from connector.store.write_alarms import Alarm

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
    for alarm in write_alarms.shown(connection, workspace, tomorrow):
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
    budget = budgets.budget_of(connection, one.fingerprint)
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
    named = [
        event for event in service_events.declared() if service_events.about(event) == service_events.BANK_CONNECTION
    ]
    for event in events.listed(connection, one.id, MAX_EVENTS, "fired", named):
        data = json.decode(event.body).get("data") or {}
        bank = str(data.get(service_events.declared()[event.event]["id"], ""))
        if not bank or bank in seen:
            continue
        seen.add(bank)
        if service_events.well_status(event.event) is not None:
            yield Condition("bank_needs_attention", bank, say("alert_bank_needs_attention", id=bank), "operate")
