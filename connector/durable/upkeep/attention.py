"""What needs a person, computed once from what is stored: every face shows this list, and alerts are sent from it.

An item is there as long as its reason lasts. It says whom it concerns (who builds flows, who decides about money, or
who runs the host), which role can mend it, and where in the console that is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Literal, get_args
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from connector.core.callers import Role
from connector.core.data import localize
from connector.core.errors import BudgetHeld, KontorError
from connector.core.messages import Text, say
from connector.core.values import json
from connector.core.values.dates import BERLIN
from connector.durable.banks import Bank, banks, old_balances
from connector.durable.subscriptions import delivery_failure, failing_subscriptions
from connector.runtime.connector import Connector
from connector.runtime.requests.rights import role_to_run
from connector.runtime.writes.attempt import CONNECT_ROLE
from connector.store.rates import usage
from connector.store.runs import alerts, approvals, runs, unverified
from connector.store.runs.alerts import Alarm
from connector.store.schema import credentials as credential_table
from connector.store.schema import subscriptions as subscription_table
from connector.store.triggers import cursors, deliveries, due_work, hooks, subscriptions
from connector.store.trust import audit, credentials
from connector.store.trust.credentials import CredentialInfo

Area = Literal["build", "decide", "operate"]
AREAS: tuple[Area, ...] = get_args(Area)
"""What the three kinds of people do: build flows, decide about money, run the host."""
Kind = Literal[
    "rights_altered",
    "outcome_unknown",
    "approval_waiting",
    "paid_twice",
    "done_after_refusal",
    "subscription_failing",
    "delivery_given_up",
    "webhook_url_lost",
    "webhook_url_failing",
    "forwarding_failing",
    "work_stalled",
    "consent_over",
    "bank_needs_attention",
    "balance_old",
    "consent_ending",
    "budget_used_up",
    "budget_nearly_used",
]
KINDS: Mapping[Kind, tuple[Area, Role]] = {
    "rights_altered": ("operate", "admin"),
    "outcome_unknown": ("decide", "operator"),
    "approval_waiting": ("decide", "approver"),
    "paid_twice": ("decide", "operator"),
    "done_after_refusal": ("decide", "operator"),
    "subscription_failing": ("build", "operator"),
    "delivery_given_up": ("build", "operator"),
    "webhook_url_lost": ("operate", "admin"),
    "webhook_url_failing": ("operate", "operator"),
    "forwarding_failing": ("operate", "admin"),
    "work_stalled": ("operate", "admin"),
    "consent_over": ("operate", "operator"),
    "bank_needs_attention": ("operate", "operator"),
    "balance_old": ("operate", "operator"),
    "consent_ending": ("operate", "operator"),
    "budget_used_up": ("operate", "admin"),
    "budget_nearly_used": ("operate", "admin"),
}
"""Every kind, the most urgent first: whom it concerns, and the role that can mend it."""
MAX_ITEMS = 100
"""Of one kind; more would not be read."""
GIVEN_UP_SHOWN = timedelta(days=30)
"""For how long a delivery that was given up is shown; it can be sent again for longer."""
NEARLY = 0.9
"""The share of the day's budget from which on a person should know."""
STALLED_AFTER = timedelta(minutes=10)
"""Work that has been due for this long, and that no host has taken, stands still."""


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """Something that a person should know of until it is over."""

    kind: Kind
    subject: str
    """What it is about: the id of a run, a subscription, a credential, a bank connection or an account."""
    message: Text
    remedy: Text
    place: str
    """The page of the console where it is mended."""
    since: datetime | None = None
    """Since when; None where nothing tells."""
    said: str = ""
    """What the service or a bank says of it, in its own words."""
    reconnect_url: str = ""
    """Where it is mended at the service itself."""
    special_role: Role | None = None
    """The role that can mend it, where that is another than for the others of its kind."""

    @property
    def area(self) -> Area:
        """Whom it concerns."""
        return KINDS[self.kind][0]

    @property
    def role(self) -> Role:
        """The role that can mend it."""
        return self.special_role or KINDS[self.kind][1]

    def url(self, public_url: str | None) -> str | None:
        """The address of that page; None where the host's own is not known."""
        return f"{public_url.rstrip('/')}/console/{self.place}" if public_url else None


def attention_items(connection: Connection, connector: Connector, workspace: str, now: datetime) -> list[AttentionItem]:
    """Return what needs a person in a workspace, the most urgent first. Nobody is asked."""
    items = [
        *_rights(connection, workspace),
        *_runs(connection, connector, workspace, now),
        *_approvals(connection, connector, workspace),
        *_alarms(connection, workspace, now),
        *_subscriptions(connection, connector, workspace, now),
        *_stalled_work(connection, workspace, now),
    ]
    for credential in credentials.listed(connection, workspace):
        if credential.revoked_at is None:
            items += [
                *_webhook_url(connection, credential),
                *_forwarding(connection, credential),
                *_banks(connection, connector, credential, now),
                *_old_balances(connection, connector, credential, now),
                *_budget(connection, credential, now),
            ]
    order = list(KINDS)
    return sorted(items, key=lambda item: order.index(item.kind))


def count_by_area(items: Iterable[AttentionItem]) -> dict[Area, int]:
    """Return how many items concern each area."""
    counted = Counter(item.area for item in items)
    return {area: counted[area] for area in AREAS}


def _item(kind: Kind, subject: str, place: str, since: datetime | None = None, /, **values: object) -> AttentionItem:
    said, url = str(values.pop("said", "")), str(values.pop("reconnect_url", ""))
    message, remedy = say(f"attention_{kind}", **values), say(f"attention_{kind}_remedy", **values)
    return AttentionItem(kind, subject, message, remedy, place, since, said, url)


def _title(connector: Connector, action: str) -> Text:
    try:
        return connector.action(action).title
    except KontorError:
        return Text(action, action)


def _rights(connection: Connection, workspace: str) -> Iterator[AttentionItem]:
    """Rows that grant something and were changed by somebody without the data key; those of the whole host for all."""
    findings = [
        finding
        for finding in unverified.all_findings(connection, workspace)
        if finding.workspace in {workspace, audit.HOST}
    ]
    since = unverified.noticed(connection) if findings else {}
    for finding in findings:
        place = "runs" if finding.kind == unverified.RUNS else "settings"
        at = since.get(finding.subject[: unverified.MAX_SUBJECT])
        item = _item("rights_altered", finding.subject, place, at, what=finding.what, subject=finding.subject)
        yield replace(item, message=say(f"attention_rights_{finding.reason}", what=finding.what))
    for approval in approvals.in_state(connection, "open", workspace):
        run = runs.find(connection, workspace, approval.run)
        if run is None or run.is_altered:
            yield _item("rights_altered", f"runs/{approval.run}", "runs", what=say("rights_of_runs", name=approval.run))


def _runs(connection: Connection, connector: Connector, workspace: str, now: datetime) -> Iterator[AttentionItem]:
    """Writes of which nobody knows whether they happened."""
    for run in runs.listed(connection, workspace, now, state="unknown", limit=MAX_ITEMS):
        action = connector.actions.get(run.action)
        item = _item("outcome_unknown", run.id, f"runs/{run.id}", run.changed_at, name=_title(connector, run.action))
        yield item if action is None else replace(item, special_role=role_to_run(action))


def _approvals(connection: Connection, connector: Connector, workspace: str) -> Iterator[AttentionItem]:
    for approval in approvals.in_state(connection, "open", workspace)[:MAX_ITEMS]:
        run = runs.find(connection, workspace, approval.run)
        if run is None:
            continue
        until = localize.in_both(localize.date_time, approval.expires_at)
        person = approval.asked_person or say("approval_owner")
        values = {"name": _title(connector, run.action), "person": person, "until": until}
        yield _item("approval_waiting", run.id, f"runs/{run.id}", approval.asked_at, **values)


def _alarms(connection: Connection, workspace: str, now: datetime) -> Iterator[AttentionItem]:
    """What a person must know of a write that is over."""
    for alarm in alerts.shown_alarms(connection, workspace, now)[:MAX_ITEMS]:
        run = runs.find(connection, workspace, alarm.subject) or runs.find_by_key(connection, workspace, alarm.subject)
        place = f"runs/{run.id}" if run is not None else "runs"
        raised = datetime.fromtimestamp(alarm.raised_at, now.tzinfo)
        yield _item(alarm.kind, alarm.subject, place, raised, **_alarm_values(alarm))


def _alarm_values(alarm: Alarm) -> dict[str, str]:
    if alarm.kind == "paid_twice":
        return {"mark": alarm.subject, "payments": ", ".join(alarm.details["found"])}
    return {"run": alarm.subject}


def _subscriptions(
    connection: Connection, connector: Connector, workspace: str, now: datetime
) -> Iterator[AttentionItem]:
    """Subscriptions that fail, and those that have left out events before they recovered."""
    for subscription, health in failing_subscriptions(connection, connector.triggers, workspace)[:MAX_ITEMS]:
        name, place = _trigger_title(connector, subscription.trigger), f"subscriptions/{subscription.id}"
        if health.reason is not None:  # also while it is paused: that mends nothing
            values = {"name": name, "why": health.reason, "reconnect_url": health.reconnect_url}
            item = _item("subscription_failing", subscription.id, place, health.failing_since, **values)
            yield item if health.remedy is None else replace(item, remedy=health.remedy)
            continue
        count, oldest = deliveries.count_dead(connection, subscription.id, now - GIVEN_UP_SHOWN)
        if count:
            yield _item("delivery_given_up", subscription.id, place, oldest, name=name, count=count)


def _trigger_title(connector: Connector, trigger: str) -> Text:
    if trigger == subscriptions.ALERTS:
        return say("settings_alerts")
    known = connector.triggers.get(trigger)
    return known.title if known is not None else Text(trigger, trigger)


def _stalled_work(connection: Connection, workspace: str, now: datetime) -> Iterator[AttentionItem]:
    """Polls, events and deliveries that no host takes."""
    own = select(credential_table.c.id).where(credential_table.c.workspace == workspace)
    queues = select(subscription_table.c.id).where(
        subscription_table.c.credential_id.in_(own), subscription_table.c.state == subscriptions.ACTIVE
    )
    for kind, keys in ((due_work.POLLS, own), (due_work.EVENTS, own), (due_work.DELIVERIES, queues)):
        since = due_work.longest_waiting(connection, kind, keys, now - STALLED_AFTER)
        if since is not None:
            yield _item("work_stalled", kind, "operate", since, work=say(f"attention_work_{kind}"))


def _webhook_url(connection: Connection, credential: CredentialInfo) -> Iterator[AttentionItem]:
    hook = hooks.of_credential(connection, credential.id)
    if hook is None or hook.state == "released" or not (hook.trouble or hook.state == "drifted"):
        return
    kind: Kind = "webhook_url_lost" if hook.state == "drifted" else "webhook_url_failing"
    if hook.trouble is None:
        yield _item(kind, credential.id, "operate", why=say("failing_webhook_url"))
        return
    trouble = json.decode(hook.trouble)
    item = _item(kind, credential.id, "operate", why=Text(**trouble["message"]))
    yield replace(item, remedy=Text(**trouble["remedy"]))


def _forwarding(connection: Connection, credential: CredentialInfo) -> Iterator[AttentionItem]:
    """Events that the former webhook URL does not take."""
    hook = hooks.of_credential(connection, credential.id)
    head = deliveries.next_waiting(connection, hook.queue_id) if hook is not None and hook.pass_on else None
    if hook is None or head is None or head.last_error is None:
        return
    why, host = delivery_failure(head.last_status, head.last_error), urlsplit(hook.former_url or "").hostname
    yield _item("forwarding_failing", credential.id, "operate", head.made_at, host=host or "–", why=why)


def _banks(
    connection: Connection, connector: Connector, credential: CredentialInfo, now: datetime
) -> Iterator[AttentionItem]:
    for bank in banks(connection, connector, credential.id, now):
        item = bank_item(connector, bank)
        if item is not None:
            yield item


def bank_item(connector: Connector, bank: Bank) -> AttentionItem | None:
    """Return what a bank connection needs; None when nothing."""
    if bank.trouble is None:
        return None
    place = f"actions/{connector.roles[CONNECT_ROLE]}?provider_code={quote(bank.provider)}"
    ends = bank.consent_ends
    values = {"bank": bank.name, "at": localize.in_both(localize.date_time, ends) if ends is not None else "–"}
    since = ends if bank.trouble == "consent_over" else None if bank.trouble == "consent_ending" else bank.since
    return _item(bank.trouble, bank.id, place, since, said=bank.error, **values)


def _old_balances(
    connection: Connection, connector: Connector, credential: CredentialInfo, now: datetime
) -> Iterator[AttentionItem]:
    """Accounts with old figures for which no bank connection is known to be to blame."""
    for account in old_balances(connection, connector, credential.id, now):
        if not account.bank:
            as_of = localize.in_both(localize.date_time, account.as_of) if account.as_of is not None else "–"
            place = f"actions/{connector.roles[CONNECT_ROLE]}"
            yield _item("balance_old", account.account, place, account.as_of, name=account.name, at=as_of)


def _budget(connection: Connection, credential: CredentialInfo, now: datetime) -> Iterator[AttentionItem]:
    berlin = now.astimezone(ZoneInfo(BERLIN))
    day, midnight = berlin.date(), datetime.combine(berlin.date(), time(), berlin.tzinfo)
    per_day = usage.budget_of(connection, credential.fingerprint).per_day
    spent = usage.spent_on(connection, credential.fingerprint, day.isoformat())
    troubles = (cursor.trouble or {} for cursor in cursors.in_trouble(connection, credential.fingerprint))
    held = any(trouble.get("kind") == BudgetHeld.kind for trouble in troubles)
    if held or (per_day is not None and spent >= per_day):
        yield _item("budget_used_up", credential.id, "settings/budget", midnight)
    elif per_day and float(spent) >= per_day * NEARLY:
        values = {"spent": localize.in_both(localize.number, spent), "budget": per_day}
        yield _item("budget_nearly_used", credential.id, "settings/budget", midnight, **values)
