"""The baseline: payments and bank connections as they are when listening begins, so that only later changes fire."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from connector.core import service_facts
from connector.core.errors import KontorError
from connector.durable.banks import save_bank
from connector.durable.inbox.confirm import MAX_SINGLE_REQUESTS, fetch_bank_connections
from connector.durable.inbox.facts import confirms, state_of
from connector.store.runs import payment_records
from connector.store.triggers import bank_connections

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.context import JobContext


async def take_baseline(context: JobContext, credential_id: str, now: datetime) -> None:
    """Store the statuses from the free payments list and the bank connections in it, without firing anything."""
    session = await context.session(credential_id)
    payments = (await session.invoke(session.id_for("payment_list"), {"sort": "id"})).output["items"]

    def save(connection: Connection) -> list[str]:
        payment_records.take_baseline(connection, credential_id, payments, now)
        bank_connections.save_of_payments(connection, credential_id, payments, now)
        return bank_connections.known(connection, credential_id)

    ids = await context.write(save)
    try:
        shown = await fetch_bank_connections(session, ids, ids, MAX_SINGLE_REQUESTS)
    except KontorError:  # then the first event of each tells it as it is
        return

    def note(connection: Connection) -> None:
        for id, facts in shown.items():
            if facts.shown is not None:
                bank_connections.save(connection, credential_id, id, facts.everything, now)
                save_bank(connection, context.connector, credential_id, id, facts.shown, now)
            states = {
                event: state_of(event, id, facts)
                for event in service_facts.of(service_facts.BANK_CONNECTION)
                if confirms(event, facts)
            }
            bank_connections.record_state(connection, credential_id, id, states)

    await context.write(note)


async def ensure_baseline(context: JobContext, credential_id: str, now: datetime) -> bool:
    """Take the baseline unless there is one; True when it was taken now."""
    if await context.read(lambda connection: payment_records.has_baseline(connection, credential_id)):
        return False
    await take_baseline(context, credential_id, now)
    return True
