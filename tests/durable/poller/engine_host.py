"""Test helper for the engine: one host's job context on a fresh database, with a manual clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import select, update

from connector.core.service.credential import Credential
from connector.core.timing import Clock
from connector.core.values import json
from connector.durable.context import JobContext
from connector.durable.poller.poll_due import poll_due
from connector.durable.settings import Settings
from connector.durable.subscriptions import SubscriptionRequest, subscribe
from connector.runtime.connector import Connector
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT, SAVINGS
from connector.store.schema import cursors as cursor_table
from connector.store.schema import deliveries
from connector.store.triggers import cursors, items
from connector.store.triggers.cursors import StoredCursor
from connector.store.triggers.subscriptions import Subscription
from connector.store.trust import credentials
from connector.store.trust.vault import Vault
from tests.support.running_sandbox import RunningSandbox

BANK = HOUSE_BANK
MAIN = MAIN_ACCOUNT
OTHER = SAVINGS
TRANSACTIONS = "/v2/banking/transactions"
TARGET = "http://127.0.0.1:9/nobody"


class ManualClock(Clock):
    """A clock that a test can advance."""

    def __init__(self, wrong_by: timedelta = timedelta(0)) -> None:
        super().__init__()
        self.ahead = 0.0
        self.wrong_by = wrong_by
        """What the wall clock is ahead of the true time; its monotonic time runs as ever."""

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead

    def utcnow(self) -> datetime:
        return super().utcnow() + self.wrong_by

    def advance(self, *, seconds: float = 0, hours: float = 0) -> None:
        self.ahead += seconds + 3600 * hours


class EngineHost:
    """One host. Several may share a database."""

    def __init__(self, sandbox: RunningSandbox, data: str, clock: Clock | None = None, **settings: Any) -> None:
        self.sandbox = sandbox
        self.clock = clock or ManualClock()
        self.connector = Connector(data)
        self.vault = Vault(data if "://" not in data else None)
        self.context = JobContext(
            self.connector,
            self.connector.database,
            self.vault,
            str(uuid4()),
            allow_private_targets=True,
            clock=self.clock,
            settings=Settings(**settings),
        )
        credential = Credential(sandbox.url, "sandbox-key")
        self.fingerprint = credential.fingerprint
        self.credential_id: str = self.write(lambda c: credentials.save(c, self.vault, credential, self.now()))

    def now(self) -> datetime:
        return self.clock.utcnow()

    async def end_rate_window(self) -> None:
        """Let the rate window end: its clock is the database's, which a test cannot advance."""
        (await self.context.session(self.credential_id)).state.governor.forget()

    def write(self, change: Callable[[Any], Any]) -> Any:
        return self.connector.database.write(change).result()

    def read(self, query: Callable[[Any], Any]) -> Any:
        return self.connector.database.read(query)

    async def subscribe(
        self, trigger: str, start: str = "now", name: str | None = None, target: str = TARGET, **inputs: Any
    ) -> Subscription:
        request = SubscriptionRequest(trigger, inputs, target, start, name)
        return (await subscribe(self.context, self.credential_id, request, self.now())).subscription

    def touch_accounts(self, at: datetime | None = None, *, balance: bool = False) -> None:
        """Let every account look as if it had just changed."""
        for account in self.sandbox.world.banking.accounts.values():
            account.updated_at = at or self.now()
            account.balance += balance

    async def poll(self) -> int:
        """Poll all due cursors once."""
        return await poll_due(self.context, self.now())

    async def poll_all(self) -> int:
        """Make all cursors due and poll them once."""
        self.write(lambda c: c.execute(update(cursor_table).values(next_at=self.now())))
        return await self.poll()

    def cursor(self, subscription: Subscription) -> StoredCursor:
        cursor = self.read(lambda c: cursors.get(c, subscription.cursor_name))
        assert isinstance(cursor, StoredCursor)
        return cursor

    def found(self, subscription: Subscription) -> list[str]:
        """Return the ids of all items of a subscription's cursor, in the order in which they were found."""
        return [id for id, _ in self.read(lambda c: items.of_cursor(c, subscription.cursor_name))]

    def bodies(self, subscription: Subscription) -> list[Any]:
        return [json.decode(body) for _, body in self.read(lambda c: items.of_cursor(c, subscription.cursor_name))]

    def enqueued(self, subscription: Subscription) -> list[str]:
        """Return the item ids of all deliveries of a subscription, in order."""
        mine = select(deliveries.c.item_id).where(deliveries.c.subscription_id == subscription.id)
        return list(self.read(lambda c: c.execute(mine.order_by(deliveries.c.id)).scalars().all()))

    def paid(self) -> list[dict[str, Any]]:
        """Return the calls that cost credits."""
        return [entry for entry in self.sandbox.requests() if entry["credits_charged"]]

    async def close(self) -> None:
        await self.context.aclose()
        self.connector.close()


def arrive(sandbox: RunningSandbox, count: int = 1, **more: Any) -> list[str]:
    """Add transactions at the bank; return their ids."""
    return [row["id"] for row in sandbox.order("/transactions", count=count, **more)["data"]]
