"""A cursor while it is being polled: it takes rows, and commits what its trigger makes of them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from connector.core.client import Call, Reply
from connector.core.manifest.model import Trigger
from connector.core.polls.page import Page
from connector.durable.poller.asking import ask
from connector.durable.poller.row_count import RowCount
from connector.durable.poller.work import PollWork
from connector.runtime.poll import START, process_page, strategy_inputs
from connector.runtime.request import build_call
from connector.runtime.result import Credits
from connector.store import cursors, items
from connector.store.cursors import StoredCursor
from connector.store.items import Item
from connector.store.leases import Lease

FREE = Credits(Decimal(0), None)
_TEXT = msgspec.json.Encoder(decimal_format="number")


class Overtaken(Exception):
    """Somebody else polls this cursor by now. What was found here is theirs to find."""


@dataclass(slots=True, eq=False)
class Member:
    """One cursor, under its lease."""

    stored: StoredCursor
    trigger: Trigger
    inputs: dict[str, Any]
    lease: Lease
    began: datetime
    cursor: str | None
    keep_items: bool = False
    """Whether what is found is wanted here too, beside the store."""
    found: list[dict[str, Any]] = field(default_factory=list)
    more: bool = False
    unfinished: bool = False
    """A bound stopped the poll before the end of the list."""
    rows: RowCount | None = None
    """How many of the rows that there should be have been read, where that is known."""
    cost: Decimal = Decimal(0)
    balance: Decimal | None = None
    _commits: list[Future[bool]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The cursor's name, with the fingerprint."""
        return self.stored.name

    @property
    def flow(self) -> str:
        """The name without the fingerprint: whose budget it is."""
        return self.name.partition(":")[2]

    @property
    def passes_history(self) -> bool:
        """Whether this is the first poll of a flow that starts now: what is there already is passed over."""
        return self.stored.start == START and self.stored.polled_at is None

    def call(self, work: PollWork) -> Call:
        """What to ask the service for, from where the cursor stands."""
        more = strategy_inputs(self.trigger, self.inputs, self.cursor, self.began, self.stored.start)
        return build_call(self.trigger, {**self.inputs, **more}, work.session.credential.wire)

    async def ask(self, work: PollWork, call: Call) -> Reply:
        """Sends a call in this member's name, and notes what it cost."""
        reply = await ask(work, call, self.flow)
        self.cost += reply.charge.cost
        self.balance = reply.charge.balance
        return reply

    async def take(self, work: PollWork, page: Page) -> None:
        """Lets the trigger look at a page, and hands what it found to the store, to be committed in this order."""
        polled = process_page(self.trigger, page, self.inputs, self.cursor, self.stored.start, self.began, FREE)
        self.more = polled.more
        if polled.cursor == self.cursor and not polled.items:
            return
        found: list[Item] = [(str(item["_id"]), _TEXT.encode(item).decode()) for item in polled.items]
        if self.keep_items:
            self.found.extend(polled.items)
        old, self.cursor = self.cursor, polled.cursor
        new, lease, name, clock = polled.cursor, self.lease, self.name, work.clock
        await self.settle(most=1)
        self._commits.append(
            work.database.write(lambda c: items.commit(c, lease, name, old, new, found, clock.utcnow()))
        )

    async def settle(self, most: int = 0) -> None:
        """Waits until at most so many commits are under way; raises `Overtaken` when one was refused."""
        while len(self._commits) > most:
            if not await asyncio.wrap_future(self._commits.pop(0)):
                raise Overtaken(self.name)

    async def rest(self, work: PollWork, next_at: datetime, **more: Any) -> None:
        """Notes that the poll is over, and when the next one is due."""
        name, fence, began = self.name, self.lease.fence, self.began
        await work.write(lambda connection: cursors.finish_poll(connection, name, fence, next_at, began, **more))
