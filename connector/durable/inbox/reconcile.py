"""Fires payment changes whose event was lost, by comparing the free payments list with the fired statuses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.core.states import payment_moves_forward
from connector.durable.context import JobContext
from connector.durable.inbox.decide import report_payment
from connector.store import credentials, payment_states, subscriptions, timers

if TYPE_CHECKING:
    from sqlalchemy import Connection


async def reconcile_due(context: JobContext, now: datetime) -> int:
    """Reconcile the credentials that are due; return how many changes were found."""
    found = 0
    for credential_id in await context.read(lambda connection: _credentials_to_reconcile(connection, context)):
        if await context.write(partial(_claim, context=context, credential_id=credential_id, now=now)):
            found += await _reconcile(context, credential_id, now)
    return found


def _claim(connection: Connection, context: JobContext, credential_id: str, now: datetime) -> bool:
    every = timedelta(seconds=context.settings.reconcile_seconds)
    return timers.claim(connection, f"reconcile:{credential_id}", every, now)


def _credentials_to_reconcile(connection: Connection, context: JobContext) -> list[str]:
    """Return the credentials with subscriptions to payment events."""
    return [
        kept.id
        for kept in credentials.listed(connection, None)
        if kept.revoked_at is None
        and any(_fires_on_payments(context, one.trigger) for one in subscriptions.active(connection, kept.id))
    ]


def _fires_on_payments(context: JobContext, trigger_id: str) -> bool:
    try:
        trigger = context.connector.trigger(trigger_id)
    except KontorError:
        return False
    return trigger.source == "event" and (not trigger.events or trigger.confirm == "payment")


async def _reconcile(context: JobContext, credential_id: str, now: datetime) -> int:
    try:
        session = await context.session(credential_id)
        payments = (await session.invoke(session.id_for("payment_list"), {"sort": "id"})).output["items"]
    except KontorError:
        return 0  # the next reconciliation finds it; polls of the credential show the error
    found = 0
    for payment in await context.read(lambda connection: _with_news(connection, credential_id, payments)):
        found += await report_payment(context, credential_id, payment, now)
    return found


def _with_news(connection: Connection, credential_id: str, payments: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the payments whose status has not fired yet."""
    readable = [one for one in payments if isinstance(one, dict) and isinstance(one.get("id"), str) and "status" in one]
    fired = payment_states.statuses(connection, credential_id, [one["id"] for one in readable])
    return [one for one in readable if payment_moves_forward(fired.get(one["id"]), str(one["status"]))]
