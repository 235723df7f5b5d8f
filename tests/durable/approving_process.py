"""A process that asks for payments, approves them as another person, and sends them as a host does, until killed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector import Connector, Credential
from connector.core.callers import Actor, Invoker
from connector.durable.loop import Engine
from connector.durable.settings import Settings
from connector.operations import money, runs
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.store.database.files import data_location
from connector.store.people import passphrases, people
from connector.store.trust.vault import open_vault

PAYER = Actor("flow", "payer", "default", "Anna")
ADMIN = Actor("admin", "admin", "default", "Chef")
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
}


def run(ready: Callable[[], None], url: str, first: int) -> None:
    """Ask the service at `url` for payments that are numbered from `first` on."""
    asyncio.run(_pay(ready, url, first))


def _approver(connection: Connection, now: datetime) -> Actor:
    """Return somebody with a sign-in of their own, who is there from the first process on."""
    jan = people.called(connection, "default", "Jan")
    if jan is None:
        people.invite(connection, "default", "Jan", "approver", "code", now + timedelta(days=1), "", now)
        jan = people.accept(connection, "code", passphrases.hashed("drei blaue Fahrräder"), now)
    assert jan is not None
    return Actor("chef", "approver", "default", "Jan", person_id=jan.id, made_by=jan.id)


async def _pay(ready: Callable[[], None], url: str, first: int) -> None:
    connector = Connector()
    database = connector.database
    engine = Engine(connector, database, open_vault(database, data_location()), settings=Settings(tick=0.02))
    context = engine.context
    running = asyncio.create_task(engine.run())
    await money.set_policy(context, ADMIN, {"approve_above": "100"})
    approver = await context.write(lambda connection: _approver(connection, context.now()))
    ready()
    async with connector.open(Credential(url, "sandbox-key")) as session:
        for number in range(first, first + 5):
            inputs = {**PAYMENT, "amount": 1000 + number}
            asked = await session.invoke(
                "initiate_payment", inputs, key=f"k-{number}", invoker=Invoker("http", actor=PAYER)
            )
            assert asked.waits, asked
            await runs.decide_run(context, approver, str(asked.run), approve=True)
            await asyncio.sleep(0.15)
    await running
