"""The baseline: the status of all payments when listening begins, so that only later changes fire."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from connector.store import bank_connections, payment_states

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.context import JobContext


async def take_baseline(context: JobContext, credential_id: str, now: datetime) -> None:
    """Store the statuses from the free payments list, without firing anything."""
    session = await context.session(credential_id)
    payments = (await session.invoke(session.id_for("payment_list"), {"sort": "id"})).output["items"]

    def save(connection: Connection) -> None:
        payment_states.take_baseline(connection, credential_id, payments, now)
        bank_connections.save_of_payments(connection, credential_id, payments, now)

    await context.write(save)


async def ensure_baseline(context: JobContext, credential_id: str, now: datetime) -> bool:
    """Take the baseline unless there is one; True when it was taken now."""
    if await context.read(lambda connection: payment_states.has_baseline(connection, credential_id)):
        return False
    await take_baseline(context, credential_id, now)
    return True
