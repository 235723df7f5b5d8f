"""A history of triggers: rows, payments and events come late, early, again or anew; clocks and subscribers are wrong.

All is drawn from a seed. What the service has shown must reach the flow of its trigger once, and soon; the flows are
real sockets, and an event comes from the sandbox's own sender.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, NamedTuple

from connector.durable.context import SharedClock
from connector.durable.inbox import registration
from connector.durable.inbox.decide_due import decide_due
from connector.durable.inbox.ingest import Intake
from connector.durable.outbox.deliver_due import deliver_due
from connector.durable.upkeep.due_times import ClockKeeping
from connector.store.triggers import deliveries
from tests.durable.inbox.hub_host import Subscriber, on_socket
from tests.durable.poller.engine_host import MAIN, EngineHost, ManualClock, arrive
from tests.support.running_sandbox import RunningSandbox

STEPS, QUIET_STEPS = 14, 10
STEP_HOURS = 1 / 6
MAX_STEPS = 4
"""What shows is told after so many steps at most; a row whose id begins anew needs two polls."""
WAIT_SECONDS = 10
FLOWS: dict[str, dict[str, Any]] = {
    "new_transaction": {"account_id": MAIN},
    "new_payment": {},
    "payment_status_changed": {"status": "settled"},
    "payment_settled": {},
}
SETTLED = ("payment_status_changed", "payment_settled")


class Item(NamedTuple):
    """What a trigger is to tell."""

    trigger: str
    id: str


class TriggerHistory:
    """A host with a flow for each trigger, and what was shown to it so far."""

    def __init__(self, sandbox: RunningSandbox, data: str, seed: int) -> None:
        self.clock = ManualClock()
        shared = SharedClock(self.clock)
        self.host = EngineHost(sandbox, data, shared)
        self._keeping = ClockKeeping(shared, self.host.context.owner, self.host.context.observer)
        self.sandbox, self.dice = sandbox, random.Random(seed)
        self.step = 0
        self.story: list[str] = []
        self.shown: dict[Item, int] = {}
        """By item, the step in which it was first to be told."""
        self.told: dict[Item, int] = {}
        self.pending: list[str] = []
        self.open_payments: list[str] = []
        self.numbers = Counter(row=1, payment=1)
        self.afterwards: list[Callable[[], None]] = []
        """What happens after the next poll."""
        self.flows: dict[str, Subscriber] = {}
        self.hanging = Subscriber()

    def expect(self, trigger: str, *ids: str) -> None:
        self.shown |= {Item(trigger, id): self.step for id in ids}

    def expect_settled(self, payment_id: str) -> None:
        for trigger in SETTLED:
            self.expect(trigger, f"{payment_id}:settled")

    def an_open_payment(self) -> str | None:
        if not self.open_payments:
            return None
        return self.open_payments.pop(self.dice.randrange(len(self.open_payments)))

    async def run(self, operations: list[Operation]) -> list[str]:
        """Live through it; return a line for each item that was missed, doubled, false, late or held up by others."""
        held_up = 0
        for number in range(STEPS + QUIET_STEPS):
            if number < STEPS:
                operation = self.dice.choice(operations)
                self.story.append(operation.__name__)
                operation(self)
            await self.host.poll_all()
            self.clock.wrong_by = timedelta(0)
            await self._keeping.run_due(self.host.context, self.host.now())
            self.sandbox.deliveries()  # waits for the sandbox's sender
            await decide_due(self.host.context, self.host.now())
            held_up += await self._deliver()
            self.step += 1
            for item in self._accepted():
                self.told.setdefault(item, self.step)
            afterwards, self.afterwards = self.afterwards, []
            for happens in afterwards:
                happens()
            self.clock.advance(hours=STEP_HOURS)
        accepted = self._accepted()
        return [
            *(f"missed: {item} of step {step}" for item, step in self.shown.items() if item not in accepted),
            *(f"doubled: {item}" for item, count in accepted.items() if count > 1),
            # A payment that is settled also brings a transaction, which no operation has announced.
            *(f"false: {item}" for item in accepted if item not in self.shown and item.trigger != "new_transaction"),
            *(
                f"late: {item} of step {step} in step {self.told[item]}"
                for item, step in self.shown.items()
                if item in self.told and self.told[item] - step > MAX_STEPS
            ),
            *(["held up: deliveries were not tried while another target hung"] if held_up else []),
        ]

    def _accepted(self) -> Counter[Item]:
        return Counter(Item(trigger, id) for trigger, flow in self.flows.items() for id in flow.ids())

    async def _deliver(self) -> int:
        """Deliver what is due; return how many deliveries were not tried while another target hung."""
        job = asyncio.create_task(deliver_due(self.host.context, self.host.now()))
        held_up = 0
        if not self.hanging.hold.is_set():
            for _ in range(WAIT_SECONDS * 50):
                if job.done() or not (held_up := await self._untried()):
                    break
                await asyncio.sleep(0.02)
            self.hanging.hold.set()
        await job
        return held_up

    async def _untried(self) -> int:
        """How many deliveries to the flows nobody has tried yet."""
        waiting = await self.host.context.read(lambda c: deliveries.listed(c, None, None, 10_000))
        return sum(
            delivery.state == "waiting" and not delivery.attempts and delivery.target_url != self.hanging.url
            for delivery in waiting
        )


Operation = Callable[[TriggerHistory], None]


@asynccontextmanager
async def trigger_history(sandbox: RunningSandbox, data: str, seed: int) -> AsyncIterator[TriggerHistory]:
    """Start a host with its flows and its address for events, and stop it at the end."""
    sandbox.order("/limits", limit=1_000_000)
    sandbox.order("/credits", balance=1_000_000)
    sandbox.order("/settings", auto_payments=False)
    history = TriggerHistory(sandbox, data, seed)
    host = history.host
    try:
        with on_socket(Intake(host.connector.database, clock=host.clock)) as url:
            host.context.public_url, host.context.allow_loopback_hooks = url, True
            await registration.ensure(host.context, host.credential_id)
            for trigger, inputs in FLOWS.items():
                history.flows[trigger] = Subscriber()
                await host.subscribe(trigger, target=history.flows[trigger].url, **inputs)
            await host.subscribe("payment_settled", target=history.hanging.url, name="hangs")
            await host.poll()
            yield history
    finally:
        for subscriber in (*history.flows.values(), history.hanging):
            subscriber.close()
        await host.close()


def rows(history: TriggerHistory) -> None:
    history.expect("new_transaction", *arrive(history.sandbox, history.dice.randint(1, 9)))


def late_row(history: TriggerHistory) -> None:
    [high] = arrive(history.sandbox, unseen=1)
    history.expect("new_transaction", high)
    below = str(int(high) - 1)
    history.afterwards.append(lambda: history.expect("new_transaction", *arrive(history.sandbox, id=below)))


def rows_anew(history: TriggerHistory) -> None:
    """Ids that begin again at 1."""
    for _ in range(3):
        history.expect("new_transaction", *arrive(history.sandbox, id=str(history.numbers["row"])))
        history.numbers["row"] += 1


def senseless_row(history: TriggerHistory) -> None:
    history.expect("new_transaction", *arrive(history.sandbox, id=str(9 * 10**19 + history.step)))


def pending_row(history: TriggerHistory) -> None:
    history.pending += arrive(history.sandbox, status="pending")


def posted_row(history: TriggerHistory) -> None:
    if history.pending:
        id = history.pending.pop(0)
        history.sandbox.order(f"/transactions/{id}", status="posted")
        history.expect("new_transaction", id)


def fast_clock(history: TriggerHistory) -> None:
    history.clock.wrong_by = timedelta(days=40)


def payments(history: TriggerHistory, **more: Any) -> None:
    ids = [row["id"] for row in history.sandbox.order("/payments", count=2, **more)["data"]]
    history.open_payments += ids
    history.expect("new_payment", *ids)


def payments_anew(history: TriggerHistory) -> None:
    first = history.numbers["payment"]
    history.numbers["payment"] += 2
    payments(history, first_id=first)


def lagging_payments(history: TriggerHistory) -> None:
    """The list shows them an hour later."""
    history.sandbox.order("/settings", payments_lag=3_600)
    payments(history)
    history.afterwards.append(lambda: history.sandbox.order("/settings", payments_lag=0))


def small_pages(history: TriggerHistory) -> None:
    history.sandbox.order("/settings", payments_page_size=history.dice.choice([3, 7, 20]))


def settled_payment(history: TriggerHistory) -> None:
    if id := history.an_open_payment():
        history.sandbox.order(f"/payments/{id}", status="settled")
        history.expect_settled(id)


def _settled_while_events_are(history: TriggerHistory, fault: str, **more: Any) -> None:
    history.sandbox.order("/faults", kind=fault, times=1, **more)
    settled_payment(history)


def repeated_event(history: TriggerHistory) -> None:
    _settled_while_events_are(history, "event_repeat")


def delayed_event(history: TriggerHistory) -> None:
    _settled_while_events_are(history, "event_delay", seconds=600)
    history.afterwards.append(lambda: history.sandbox.order("/clock", advance=601))


def early_event(history: TriggerHistory) -> None:
    """An event that says settled before the API does, and no other one afterwards."""
    if id := history.an_open_payment():
        history.sandbox.order("/events", event="payment_update", data={"payment_id": id, "status": "settled"})

        def shown() -> None:
            history.sandbox.order("/faults", kind="event_lose", times=1)
            history.sandbox.order(f"/payments/{id}", status="settled")
            history.expect_settled(id)

        history.afterwards.append(shown)


def forged_event(history: TriggerHistory) -> None:
    """It says of a payment what is never true."""
    if history.open_payments:
        [id, *_] = history.open_payments
        history.sandbox.order("/events", event="payment_update", data={"payment_id": id, "status": "failed"})


def failing_flow(history: TriggerHistory) -> None:
    flow = history.dice.choice(list(history.flows.values()))
    flow.answers = [(500, {})] * history.dice.randint(1, 2)


def hanging_flow(history: TriggerHistory) -> None:
    """Another flow of settled payments takes a delivery and does not answer; the others must not wait for it."""
    history.hanging.hold.clear()
    settled_payment(history)
    rows(history)


OPERATIONS: list[Operation] = [
    rows, late_row, rows_anew, senseless_row, pending_row, posted_row, fast_clock, payments, payments_anew,
    lagging_payments, small_pages, settled_payment, repeated_event, delayed_event, early_event, forged_event,
    failing_flow, hanging_flow,
]  # fmt: skip
