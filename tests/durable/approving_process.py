"""A process that asks for payments, approves them as another person, and sends them as a host does, until killed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from connector import Connector, Credential
from connector.core.callers import Actor, Invoker
from connector.durable.loop import Engine
from connector.durable.settings import Settings
from connector.operations import money, runs
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.store.database.files import data_location
from connector.store.trust.vault import open_vault

PAYER, APPROVER = Actor("flow", "payer", "default", "Anna"), Actor("chef", "approver", "default", "Jan")
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


async def _pay(ready: Callable[[], None], url: str, first: int) -> None:
    connector = Connector()
    database = connector.database
    engine = Engine(connector, database, open_vault(database, data_location()), settings=Settings(tick=0.02))
    context = engine.context
    running = asyncio.create_task(engine.run())
    await money.set_policy(context, ADMIN, {"approve_above": "100"})
    ready()
    async with connector.open(Credential(url, "sandbox-key")) as session:
        for number in range(first, first + 5):
            inputs = {**PAYMENT, "amount": 1000 + number}
            asked = await session.invoke(
                "initiate_payment", inputs, key=f"k-{number}", invoker=Invoker("http", actor=PAYER)
            )
            assert asked.waits, asked
            await runs.decide_run(context, APPROVER, str(asked.run), approve=True)
            await asyncio.sleep(0.15)
    await running
