"""Collects what needs attention: parked writes, dead deliveries, failed polls, webhook URL, expiring consents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from connector.core.errors import KontorError
from connector.core.messages import Text
from connector.core.values import json
from connector.core.values.dates import instant
from connector.interfaces.console.console_context import ConsoleContext
from connector.store import cursors, deliveries, hooks, subscriptions
from connector.store.runs import Run

CONSENT_WARNING = timedelta(days=14)
Remedy = Literal["settle", "replay", "trigger", "webhook", "connect", "link", "doctor"]


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


async def attention_items(console: ConsoleContext) -> list[AttentionItem]:
    """Return all current items; a failed request for bank connections is one of them."""
    items = [
        *await _parked_writes(console),
        *await _dead_deliveries(console),
        *await _failed_polls(console),
        *await _webhook(console),
    ]
    try:
        items += await _bank_connections(console)
    except KontorError as error:
        items.append(AttentionItem("need_unasked", {"error": error.message}, "doctor", advice=error.remedy))
    return items


async def _parked_writes(console: ConsoleContext) -> list[AttentionItem]:
    session = await console.session()
    return [
        AttentionItem("need_parked", {"action": _action_title(console, run.action)}, "settle", run.id, run=run)
        for run in await session.runs(state="unknown")
    ]


async def _dead_deliveries(console: ConsoleContext) -> list[AttentionItem]:
    workspace = await console.workspace()

    def read_dead(connection: Any) -> list[AttentionItem]:
        mine = {one.id: one for one in subscriptions.listed(connection, workspace)}
        return [
            AttentionItem(
                "need_dead",
                {"trigger": mine[one.subscription_id].trigger, "error": one.last_error or one.last_status or ""},
                "replay",
                str(one.id),
            )
            for one in deliveries.dead_letters(connection, workspace)
            if one.subscription_id in mine
        ]

    return await console.read(read_dead)


async def _failed_polls(console: ConsoleContext) -> list[AttentionItem]:
    fingerprint = (await console.session()).credential.fingerprint
    watched = await console.read(lambda connection: cursors.scheduled(connection, fingerprint))
    items = []
    for cursor in watched:
        if cursor.trouble:
            remedy = cursor.trouble.get("remedy") or {}
            advice = Text(str(remedy.get("en", "")), str(remedy.get("de", "")))
            url = str(cursor.trouble.get("reconnect_url") or "")
            values = {"trigger": cursor.trigger, "error": cursor.trouble.get("message", "")}
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


async def _bank_connections(console: ConsoleContext) -> list[AttentionItem]:
    """Bank connections with an error or an expiring consent; the calls are free."""
    session = await console.session()
    now = console.state.context.now()
    items = []
    for option in await session.options(session.id_for("bank_connection_options")):
        bank = (await session.invoke(session.id_for("bank_connection"), {"id": option.value})).output
        name = bank.get("display_name") or bank.get("provider_name") or option.label
        ends = bank.get("consent_expires_at")
        if bank.get("error_class"):
            values = {"bank": name, "error": bank.get("error_message") or bank["error_class"]}
            items.append(AttentionItem("need_bank_error", values, "connect", str(bank.get("provider_code") or "")))
        elif ends and (at := instant(str(ends))) - now < CONSENT_WARNING:
            message = "need_consent_over" if at <= now else "need_consent"
            items.append(
                AttentionItem(message, {"bank": name, "at": at}, "connect", str(bank.get("provider_code") or ""))
            )
    return items


def _action_title(console: ConsoleContext, action: str) -> Text:
    try:
        return console.connector.action(action).title
    except KontorError:
        return Text(action, action)
