"""Fires payment changes whose event was lost, by comparing the free payments list with the fired statuses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.core.service_facts import payment_moves_forward
from connector.durable.context import JobContext
from connector.durable.inbox.decide import report_payment
from connector.durable.work import KeyedWork, run_due
from connector.store.database import leases
from connector.store.runs import payment_records
from connector.store.triggers import due_work, subscriptions
from connector.store.triggers.overdue import notify_listeners
from connector.store.trust import credentials

if TYPE_CHECKING:
    from sqlalchemy import Connection


class ReconcileWork(KeyedWork):
    """Reconciliations; a key is the id of a credential with event subscriptions."""

    name = due_work.RECONCILIATIONS
    most = 4

    async def work(self, key: str) -> int:
        """Reconcile a credential once in its interval; return how many changes were found."""
        context, now = self.context, self.context.now()
        every = timedelta(seconds=context.settings.reconcile_seconds)

        def is_due(connection: Connection) -> bool:
            return _is_wanted(connection, context, key) and leases.claim_timer(connection, _timer(key), every, now)

        return await _reconcile(context, key, now) if await context.write(is_due) else 0

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when its interval ends, while there are subscriptions to payment events."""
        return leases.timer_of(connection, _timer(key)) if _is_wanted(connection, self.context, key) else None


async def reconcile_due(context: JobContext, now: datetime) -> int:
    """Reconcile the credentials that are due; return how many changes were found."""
    await context.write(lambda connection: notify_listeners(connection, now))
    return await run_due(ReconcileWork(context))


def _timer(credential_id: str) -> str:
    """Return the name of the timer by which also hosts of the version before keep the interval."""
    return f"reconcile:{credential_id}"


def _is_wanted(connection: Connection, context: JobContext, credential_id: str) -> bool:
    """Whether the credential may be used and has subscriptions to payment events."""
    credential = credentials.find(connection, None, credential_id)
    active = subscriptions.active(connection, credential_id) if credential and credential.revoked_at is None else ()
    return any(_fires_on_payments(context, subscription.trigger) for subscription in active)


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
    news = 0
    for payment in await context.read(lambda connection: _with_news(connection, credential_id, payments)):
        news += await report_payment(context, credential_id, payment, now)
    return news


def _with_news(connection: Connection, credential_id: str, payments: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the payments whose status has not fired yet."""
    readable = [
        payment
        for payment in payments
        if isinstance(payment, dict) and isinstance(payment.get("id"), str) and "status" in payment
    ]
    fired = payment_records.statuses(connection, credential_id, [payment["id"] for payment in readable])
    return [payment for payment in readable if payment_moves_forward(fired.get(payment["id"]), str(payment["status"]))]
