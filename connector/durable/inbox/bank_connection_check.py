"""Finds out what is true of the bank connections that events speak of: from the API, and from what it showed before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from connector.durable.inbox.bank_connection_facts import BankConnectionFacts
from connector.durable.inbox.confirm import fetch_bank_connections, fetch_payment_list
from connector.store import bank_connections

if TYPE_CHECKING:
    from connector.durable.context import JobContext
    from connector.durable.inbox.questions import Questions


async def check_bank_connections(
    context: JobContext, credential_id: str, asked: Questions
) -> dict[str, BankConnectionFacts]:
    """Return what is true of the bank connections, without those for which no request is left now."""
    clock = context.clock
    most = context.confirmations.left(credential_id, clock.monotonic())
    session = await context.session(credential_id)
    found = await fetch_bank_connections(session, asked.bank_connections, asked.refreshed, most)
    news, now = 0, context.now()

    def save(connection: Connection) -> int:
        shown = ((id, one.everything) for id, one in found.items() if one.shown is not None)
        return sum(bank_connections.save(connection, credential_id, id, one, now) for id, one in shown)

    if any(one.shown is not None for one in found.values()):
        news = await context.write(save)
    wasted = len(found) - news
    missing = [id for id in found if id in asked.gone and found[id].shown is None]
    former = await context.read(lambda connection: bank_connections.described(connection, credential_id, missing))
    if missing and any(id not in former for id in missing) and most > wasted:
        wasted += 1
        payments = await fetch_payment_list(session)
        await context.write(lambda c: bank_connections.save_of_payments(c, credential_id, payments, now))
        former = await context.read(lambda connection: bank_connections.described(connection, credential_id, missing))
    context.confirmations.charge(credential_id, wasted, clock.monotonic())
    return {id: replace(one, former=former.get(id)) for id, one in found.items()}
