"""Finds what a lost webhook missed: compares the free payments list with what has been told of each payment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.core.states import payment_moves_forward
from connector.durable.context import JobContext
from connector.durable.inbox.decide import payment_seen
from connector.store import credentials, leases, payment_states, subscriptions

if TYPE_CHECKING:
    from sqlalchemy import Connection


async def reconcile_due(context: JobContext, now: datetime) -> int:
    """Reconciles the credentials whose turn it is; returns how many changes no event had told."""
    found = 0
    for credential_id in await context.read(lambda connection: _listening(connection, context)):
        # Taken and not given back: until it has run out, no host reconciles this credential again.
        turn = await context.write(_turn(context, credential_id, now))
        if turn is not None:
            found += await _reconcile(context, credential_id, now)
    return found


def _turn(context: JobContext, credential_id: str, now: datetime) -> Any:
    name, seconds = f"reconcile:{credential_id}", context.settings.reconcile_seconds
    return lambda connection: leases.acquire(connection, name, context.owner, seconds, now)


def _listening(connection: Connection, context: JobContext) -> list[str]:
    """The credentials whose payments somebody wants to hear of."""
    return [
        kept.id
        for kept in credentials.listed(connection)
        if kept.revoked_at is None
        and any(_hears_payments(context, one.trigger) for one in subscriptions.active(connection, kept.id))
    ]


def _hears_payments(context: JobContext, trigger_id: str) -> bool:
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
        return 0  # shown where the credential is polled; the next turn finds what this one missed
    found = 0
    for payment in await context.read(lambda connection: _behind(connection, credential_id, payments)):
        found += await payment_seen(context, credential_id, payment, now)
    return found


def _behind(connection: Connection, credential_id: str, payments: Sequence[Any]) -> list[dict[str, Any]]:
    """The payments of whose status nobody has been told yet."""
    readable = [one for one in payments if isinstance(one, dict) and isinstance(one.get("id"), str) and "status" in one]
    told = payment_states.statuses(connection, credential_id, [one["id"] for one in readable])
    return [one for one in readable if payment_moves_forward(told.get(one["id"]), str(one["status"]))]
