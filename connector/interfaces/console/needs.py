"""What needs a person: writes in doubt, dead letters, polls in trouble, a lost webhook URL, consents that end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from connector.core.errors import KontorError
from connector.core.messages import Text
from connector.core.values import json
from connector.core.values.dates import instant
from connector.interfaces.console.desk import Desk
from connector.store import cursors, deliveries, hooks, subscriptions
from connector.store.journal import Entry

SOON = timedelta(days=14)
Remedy = Literal["settle", "replay", "trigger", "webhook", "connect", "link", "doctor"]


@dataclass(frozen=True, slots=True)
class Need:
    """One thing for a person to see to, and the remedy that is one click away."""

    word: str
    blanks: dict[str, Any]
    remedy: Remedy
    subject: str = ""
    """What the remedy works on: a key, a delivery's id, a trigger, an address."""
    advice: Text | None = None
    entry: Entry | None = None


async def needs_of(desk: Desk) -> list[Need]:
    """Everything that needs a person now; that the banks could not be asked is one of these things."""
    found = [*await _parked(desk), *await _dead(desk), *await _in_trouble(desk), *await _webhook(desk)]
    try:
        found += await _bank_connections(desk)
    except KontorError as error:
        found.append(Need("need_unasked", {"error": error.message}, "doctor", advice=error.remedy))
    return found


async def _parked(desk: Desk) -> list[Need]:
    session = await desk.session()
    return [
        Need("need_parked", {"action": _title(desk, entry.action)}, "settle", entry.key, entry=entry)
        for entry in await session.parked()
    ]


async def _dead(desk: Desk) -> list[Need]:
    credential_id = await desk.credential_id()

    def look(connection: Any) -> list[Need]:
        mine = {one.id: one for one in subscriptions.listed(connection) if one.credential_id == credential_id}
        return [
            Need(
                "need_dead",
                {"trigger": mine[one.subscription_id].trigger, "error": one.last_error or one.last_status or ""},
                "replay",
                str(one.id),
            )
            for one in deliveries.dead_letters(connection)
            if one.subscription_id in mine
        ]

    return await desk.read(look)


async def _in_trouble(desk: Desk) -> list[Need]:
    fingerprint = (await desk.session()).credential.fingerprint
    watched = await desk.read(lambda connection: cursors.scheduled(connection, fingerprint))
    found = []
    for cursor in watched:
        if cursor.trouble:
            remedy = cursor.trouble.get("remedy") or {}
            advice = Text(str(remedy.get("en", "")), str(remedy.get("de", "")))
            url = str(cursor.trouble.get("reconnect_url") or "")
            blanks = {"trigger": cursor.trigger, "error": cursor.trouble.get("message", "")}
            is_link = url.startswith("https://")
            found.append(
                Need(
                    "need_trouble", blanks, "link" if is_link else "trigger", url if is_link else cursor.trigger, advice
                )
            )
    return found


async def _webhook(desk: Desk) -> list[Need]:
    credential_id = await desk.credential_id()
    hook = await desk.read(lambda connection: hooks.of_credential(connection, credential_id))
    if hook is None or hook.state == "released" or not hook.trouble:
        return []
    trouble = json.decode(hook.trouble)
    message, remedy = Text(**trouble["message"]), Text(**trouble["remedy"])
    return [Need("need_webhook", {"error": message}, "webhook", advice=remedy)]


async def _bank_connections(desk: Desk) -> list[Need]:
    """Bank connections in trouble or whose consent ends soon; asking is free, and the list is the dropdown's."""
    session = await desk.session()
    now = desk.state.context.now()
    found = []
    for option in await session.options(session.id_for("bank_connection_options")):
        bank = (await session.invoke(session.id_for("bank_connection"), {"id": option.value})).output
        name = bank.get("display_name") or bank.get("provider_name") or option.label
        ends = bank.get("consent_expires_at")
        if bank.get("error_class"):
            blanks = {"bank": name, "error": bank.get("error_message") or bank["error_class"]}
            found.append(Need("need_bank_error", blanks, "connect", str(bank.get("provider_code") or "")))
        elif ends and (at := instant(str(ends))) - now < SOON:
            word = "need_consent_over" if at <= now else "need_consent"
            found.append(Need(word, {"bank": name, "at": at}, "connect", str(bank.get("provider_code") or "")))
    return found


def _title(desk: Desk, action: str) -> Text:
    try:
        return desk.connector.action(action).title
    except KontorError:
        return Text(action, action)
