"""Collects what needs a person: unknown outcomes, approvals, deliveries, polls, webhook URL, budget, banks."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from connector.core.errors import KontorError, NotFound
from connector.core.messages import Text
from connector.core.values import json
from connector.core.values.dates import instant
from connector.durable.poller import group_poll
from connector.durable.subscriptions import delivery_failure, trouble_text
from connector.durable.upkeep.alerts import alarm_text, banks_in_error
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.runtime.requests import rights
from connector.runtime.writes.approval import DECIDES, may_approve
from connector.runtime.writes.held_back import Waiting, waiting_for
from connector.store.rates import usage
from connector.store.runs import alerts, approvals, runs
from connector.store.runs.alerts import Alarm
from connector.store.runs.runs import Run
from connector.store.triggers import bank_connections, cursors, deliveries, hooks, subscriptions

if TYPE_CHECKING:
    from sqlalchemy import Connection

CONSENT_WARNING = timedelta(days=14)
BUDGET_WARNING = Decimal("0.9")
"""The share of the day's budget from which on a person should know."""
Remedy = Literal[
    "settle",
    "run",
    "replay",
    "trigger",
    "subscription",
    "webhook",
    "connect",
    "link",
    "doctor",
    "credits",
]


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """A problem for a person to solve, and its remedy."""

    message: str
    values: dict[str, Any]
    remedy: Remedy
    subject: str = ""
    """The object of the remedy: a key, a delivery id, a trigger or a URL."""
    advice: Text | None = None
    run: Run | None = None
    waiting: Waiting | None = None
    """The equal writes that wait for the run."""


async def attention_items(console: ConsoleContext, calls: PageCalls) -> list[AttentionItem]:
    """Return all current items, from what is stored and few free calls; one tells that banks could not be asked."""
    items = [
        *await _runs(console),
        *await _dead_deliveries(console),
        *await _failing_deliveries(console),
        *await _failed_polls(console),
        *await _webhook(console),
        *await _budget(console),
    ]
    try:
        items += await _bank_connections(console, calls)
    except KontorError as error:
        items.append(AttentionItem("need_unasked", {"error": error.message}, "doctor", advice=error.remedy))
    return items


async def _runs(console: ConsoleContext) -> list[AttentionItem]:
    """Unknown outcomes, and what waits for an approval that this visitor may give."""
    workspace, now = await console.workspace(), console.state.context.now()

    def read(connection: Connection) -> list[AttentionItem]:
        items = [_alarm(connection, workspace, one) for one in alerts.shown_alarms(connection, workspace, now)]
        unknown = runs.listed(connection, workspace, now, state="unknown")
        actions = console.connector.actions
        items += [
            replace(_about(console, "need_parked", "settle", run), waiting=waiting_for(connection, run, actions))
            for run in unknown
        ]
        if not console.actor.may(DECIDES):
            return items
        for approval in approvals.in_state(connection, "open", workspace):
            run = runs.find(connection, workspace, approval.run)
            if run is not None and may_approve(approval, console.actor):
                items.append(_about(console, "need_approval", "run", run))
        return items

    return await console.read(read)


def _alarm(connection: Connection, workspace: str, alarm: Alarm) -> AttentionItem:
    """What a person must know of a write that is over."""
    run = runs.find(connection, workspace, alarm.subject) or runs.find_by_key(connection, workspace, alarm.subject)
    remedy: Remedy = "run" if run is not None else "credits"
    return AttentionItem("need_alarm", {"what": alarm_text(alarm)}, remedy, run.id if run is not None else "")


def _about(console: ConsoleContext, message: str, remedy: Remedy, run: Run) -> AttentionItem:
    seen = rights.visible_run(console.actor, run, console.connector.actions, console.connector.moving_paths)
    return AttentionItem(message, {"action": _action_title(console, run.action)}, remedy, run.id, run=seen)


async def _failing_deliveries(console: ConsoleContext) -> list[AttentionItem]:
    workspace = await console.workspace()

    def read(connection: Connection) -> list[AttentionItem]:
        found = subscriptions.listed(connection, workspace, with_alerts=True)
        mine = {one.id: one for one in found if one.state == subscriptions.ACTIVE}
        return [
            AttentionItem(
                "need_failing",
                {
                    "trigger": console.trigger_title(mine[one.subscription_id].trigger),
                    "error": delivery_failure(one.last_status, one.last_error or ""),
                    "attempts": one.attempts,
                    "at": one.next_at,
                },
                "subscription",
                one.subscription_id,
            )
            for one in deliveries.failing(connection, workspace)
            if one.subscription_id in mine
        ]

    return await console.read(read)


async def _budget(console: ConsoleContext) -> list[AttentionItem]:
    """A budget of the day of which little is left."""
    session = await console.session("viewer")
    fingerprint, day = session.credential.fingerprint, session.clock.berlin_today().isoformat()
    console.connector.usage.flush()

    def read(connection: Connection) -> tuple[int | None, Decimal]:
        per_day = usage.budget_of(connection, fingerprint).per_day
        return per_day, usage.spent_on(connection, fingerprint, day)

    per_day, spent = await console.read(read)
    if not per_day or spent < per_day * BUDGET_WARNING:
        return []
    return [AttentionItem("need_budget", {"spent": spent, "budget": per_day}, "credits")]


async def _dead_deliveries(console: ConsoleContext) -> list[AttentionItem]:
    workspace = await console.workspace()

    def read_dead(connection: Any) -> list[AttentionItem]:
        mine = {one.id: one for one in subscriptions.listed(connection, workspace, with_alerts=True)}
        return [
            AttentionItem(
                "need_dead",
                {
                    "trigger": console.trigger_title(mine[one.subscription_id].trigger),
                    "error": delivery_failure(one.last_status, one.last_error or ""),
                },
                "replay",
                str(one.id),
            )
            for one in deliveries.dead_letters(connection, workspace)
            if one.subscription_id in mine
        ]

    return await console.read(read_dead)


async def _failed_polls(console: ConsoleContext) -> list[AttentionItem]:
    fingerprint = (await console.session("viewer")).credential.fingerprint
    watched = await console.read(lambda connection: cursors.scheduled(connection, fingerprint))
    items = []
    for cursor in watched:
        if cursor.trouble:
            remedy = cursor.trouble.get("remedy") or {}
            advice = Text(str(remedy.get("en", "")), str(remedy.get("de", "")))
            url = str(cursor.trouble.get("reconnect_url") or "")
            values = {
                "trigger": console.trigger_title(cursor.trigger),
                "error": trouble_text(cursor.trouble),
            }
            is_link = url.startswith("https://")
            items.append(
                AttentionItem(
                    "need_trouble", values, "link" if is_link else "trigger", url if is_link else cursor.trigger, advice
                )
            )
    return items


async def _webhook(console: ConsoleContext) -> list[AttentionItem]:
    credential_id = await console.credential_id()
    hook = await console.read(lambda connection: hooks.of_credential(connection, credential_id))
    if hook is None or hook.state == "released" or not hook.trouble:
        return []
    trouble = json.decode(hook.trouble)
    message, remedy = Text(**trouble["message"]), Text(**trouble["remedy"])
    return [AttentionItem("need_webhook", {"error": message}, "webhook", advice=remedy)]


async def _bank_connections(console: ConsoleContext, calls: PageCalls) -> list[AttentionItem]:
    """Bank connections with an error or an expiring consent, whether or not they have ever paid.

    Of one that is not asked for, the latest event tells; those of which an event told an error are asked first.
    """
    workspace, now = await console.workspace(), console.state.context.now()
    credential_id = await console.credential_id()
    told = await console.read(lambda connection: banks_in_error(connection, workspace))
    shown = await console.read(lambda connection: bank_connections.described(connection, credential_id, list(told)))
    items = []
    for id in sorted(await _known_banks(console, calls), key=lambda id: id not in told):
        with suppress(NotFound):
            bank = await calls.output(console.connector.action_for("bank_connection").id, {"id": id})
            if isinstance(bank, dict):
                items += _bank_items(bank, id, now)
            elif id in told:
                name, provider = shown.get(id, {}).get("provider_name", id), shown.get(id, {}).get("provider_code", "")
                values = {"bank": name, "error": told[id].message}
                items.append(AttentionItem("need_bank_error", values, "connect", provider))
    return items


async def _known_banks(console: ConsoleContext, calls: PageCalls) -> list[str]:
    """Return the bank connections known from payments, events, connects begun here, and what the service has shown."""
    session, lookup = await console.session("viewer"), console.connector.roles["bank_connection_options"]
    workspace, credential_id = await console.workspace(), await console.credential_id()
    context = console.state.context.poll_context(session)
    each = next(
        (one.each for one in console.connector.triggers.values() if one.each and one.each.lookup == lookup), None
    )

    def read(connection: Connection) -> list[str]:
        here = group_poll.known_here(connection, context, workspace, each.input) if each else {}
        return [*here, *bank_connections.known(connection, credential_id)]

    listed = [option.value for option in await calls.options(lookup, {}) or ()]
    return list(dict.fromkeys([*listed, *await console.read(read)]))


def _bank_items(bank: dict[str, Any], id: str, now: datetime) -> list[AttentionItem]:
    name = bank.get("display_name") or bank.get("provider_name") or id
    provider, ends = str(bank.get("provider_code") or ""), bank.get("consent_expires_at")
    if bank.get("error_class"):
        values = {"bank": name, "error": bank.get("error_message") or bank["error_class"]}
        return [AttentionItem("need_bank_error", values, "connect", provider)]
    if ends and (at := instant(str(ends))) - now < CONSENT_WARNING:
        message = "need_consent_over" if at <= now else "need_consent"
        return [AttentionItem(message, {"bank": name, "at": at}, "connect", provider)]
    return []


def _action_title(console: ConsoleContext, action: str) -> Text:
    try:
        return console.connector.action(action).title
    except KontorError:
        return Text(action, action)
