from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from connector.core.callers import CallSource
from connector.durable import kinds, subscriptions
from connector.durable.inbox.baseline import take_baseline
from connector.durable.inbox.reconcile import reconcile_due
from connector.durable.loop import Engine
from connector.durable.settings import Settings
from connector.durable.subscriptions import SubscriptionRequest, subscribe
from connector.durable.upkeep.housekeeping import clean_up_due
from connector.durable.work import Outcome, Work
from connector.store.runs import forms, runs
from connector.store.runs.forms import KeptAnswer
from connector.store.runs.runs import NewRun
from connector.store.schema import cursors as cursor_table
from connector.store.triggers import cursors, deliveries, events, timeline
from connector.store.triggers.due_work import Claim
from connector.store.triggers.events import IncomingEvent
from connector.store.triggers.subscriptions import Subscription
from tests.durable.poller.engine_host import BANK, EngineHost, arrive
from tests.support.running_sandbox import Receiver

PAYMENTS = "/v2/banking/payments"


@asynccontextmanager
async def running(engine_host: EngineHost, tick: float = 0.05) -> AsyncIterator[Engine]:
    engine = Engine(
        engine_host.connector,
        engine_host.connector.database,
        engine_host.vault,
        allow_private_targets=True,
        clock=engine_host.clock,
        settings=Settings(tick=tick),
    )
    task = asyncio.create_task(engine.run())
    try:
        yield engine
    finally:
        await engine.stop()
        await asyncio.wait_for(task, 30)


async def told(receiver: Receiver) -> dict[str, Any]:
    return await asyncio.to_thread(receiver.next)


async def until(holds: Callable[[], bool]) -> None:
    """Waits for what happens in another process or in the store, which tell nobody."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def first_poll(engine_host: EngineHost, subscription: Subscription) -> None:
    await until(lambda: engine_host.cursor(subscription).polled_at is not None)


async def test_the_engine_polls_commits_and_delivers(engine_host: EngineHost, flow: Receiver) -> None:
    async with running(engine_host) as engine:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)
        ids = arrive(engine_host.sandbox, 3)
        engine_host.clock.advance(seconds=400)
        assert [(await told(flow))["_id"] for _ in ids] == ids


async def pause_and_resume(engine_host: EngineHost, flow: Receiver, engine: Any) -> None:
    """Whatever the driver: what comes while a subscription is paused is polled, waits and goes out afterwards."""
    request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
    subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
    await first_poll(engine_host, subscription)
    by, id = CallSource("http"), subscription.id
    assert engine_host.write(lambda c: subscriptions.pause(c, by, id, engine_host.now()))
    ids = arrive(engine_host.sandbox, 3)
    engine_host.clock.advance(seconds=400)
    engine.context.wake()
    await until(lambda: engine_host.connector.database.read(lambda c: deliveries.count_waiting(c, id)) == len(ids))
    engine.context.wake()
    await asyncio.sleep(0.3)  # rounds in which it could have been sent
    assert flow.events.empty()
    assert engine_host.write(lambda c: subscriptions.resume(c, by, id, engine_host.now()))
    engine.context.wake()
    assert [(await told(flow))["_id"] for _ in ids] == ids


async def test_a_new_subscription_wakes_the_engine(engine_host: EngineHost) -> None:
    first = await engine_host.subscribe("new_payment")
    async with running(engine_host, tick=3600.0) as engine:
        await first_poll(engine_host, first)
        request = SubscriptionRequest("new_bank_account", {}, "http://127.0.0.1:9/flow")
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine_host.now())
        await first_poll(engine_host, subscription)


async def test_a_job_that_fails_does_not_stop_the_engine(
    engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = asyncio.Event()

    class Broken(Work):
        name = "broken"

        async def claim(self, owner: str, most: int) -> list[Claim]:
            failed.set()
            raise RuntimeError("the disk is gone")

        async def do(self, piece: Claim) -> Outcome:
            raise AssertionError("nothing was claimed")

    monkeypatch.setattr(kinds, "KINDS", (Broken, *kinds.KINDS))
    async with running(engine_host):
        subscription = await engine_host.subscribe("new_bank_account")
        await asyncio.wait_for(failed.wait(), 10)
        await first_poll(engine_host, subscription)


async def test_a_trigger_whose_manifest_is_gone_is_shown_as_trouble_and_stops_nobody(engine_host: EngineHost) -> None:
    gone, there = await engine_host.subscribe("new_payment"), await engine_host.subscribe("new_bank_account")
    name = gone.cursor_name
    engine_host.write(
        lambda c: c.execute(update(cursor_table).where(cursor_table.c.name == name).values(trigger="was_renamed"))
    )
    await engine_host.poll()
    assert engine_host.cursor(there).polled_at is not None
    assert engine_host.read(lambda c: cursors.get(c, name)).trouble["kind"] == "input"


async def test_webhook_lost_is_found_by_the_free_sweep(engine_host: EngineHost) -> None:
    settled = await engine_host.subscribe("payment_settled")
    await take_baseline(engine_host.context, engine_host.credential_id, engine_host.now())
    payment = next(row for row in engine_host.sandbox.api.get(PAYMENTS).json()["data"] if row["status"] == "processing")
    engine_host.sandbox.order(f"/payments/{payment['id']}", status="settled")
    assert await reconcile_due(engine_host.context, engine_host.now()) == 1
    assert engine_host.enqueued(settled) == [f"{payment['id']}:settled"]
    engine_host.clock.advance(seconds=700)
    assert await reconcile_due(engine_host.context, engine_host.now()) == 0
    assert engine_host.enqueued(settled) == [f"{payment['id']}:settled"]
    assert engine_host.paid() == []


async def test_a_credential_is_reconciled_once_in_ten_minutes_by_all_hosts_together(engine_host: EngineHost) -> None:
    await engine_host.subscribe("payment_settled")
    await take_baseline(engine_host.context, engine_host.credential_id, engine_host.now())
    before = len(engine_host.sandbox.requests())
    for _ in range(5):
        await reconcile_due(engine_host.context, engine_host.now())
    assert len(engine_host.sandbox.requests()) == before + 1
    engine_host.clock.advance(seconds=601)
    await reconcile_due(engine_host.context, engine_host.now())
    assert len(engine_host.sandbox.requests()) == before + 2


async def test_nobody_listens_to_payments_then_nothing_is_reconciled(engine_host: EngineHost) -> None:
    await engine_host.subscribe("refresh_complete")
    assert await reconcile_due(engine_host.context, engine_host.now()) == 0
    assert engine_host.sandbox.requests() == []


async def test_items_long_past_are_forgotten_once_a_day(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_bank_account", start="all")
    await engine_host.poll()
    count, about = len(engine_host.found(subscription)), [subscription.cursor_name or "", subscription.id]
    noted = len(engine_host.connector.database.read(lambda connection: timeline.listed(connection, about)))
    assert await clean_up_due(engine_host.context, engine_host.now()) == 0
    engine_host.clock.advance(hours=24 * 91)
    assert await clean_up_due(engine_host.context, engine_host.now()) == count + noted
    assert count > 0
    assert noted > 0
    await engine_host.poll()
    assert engine_host.found(subscription) == []


async def test_answers_kept_for_pages_are_erased_after_thirty_days(engine_host: EngineHost) -> None:
    answer = KeptAnswer({}, {"items": []}, engine_host.now())
    await engine_host.context.write(lambda c: forms.keep_answer(c, "default", "c", "read", "d", answer))
    engine_host.clock.advance(hours=24 * 29)
    assert await clean_up_due(engine_host.context, engine_host.now()) == 0
    engine_host.clock.advance(hours=24 * 2)
    assert await clean_up_due(engine_host.context, engine_host.now()) == 1


async def test_old_records_are_forgotten_and_nothing_that_still_waits(engine_host: EngineHost) -> None:
    def run(id: str) -> NewRun:
        key = id if id == "named" else None
        return NewRun(id, "default", key, "c", "create_cash_book_entry", "d", b"{}", "owner")

    def enter(connection: Connection) -> None:
        now = engine_host.now()
        arrivals = [IncomingEvent("c1", id, "card_blocked", "{}") for id in ("decided", "open")]
        events.insert(connection, arrivals, now)
        decided = [event.id for event in events.listed(connection, "c1") if event.event_id == "decided"]
        events.set_state(connection, decided, "unknown", now)
        for item in ("taken", "waiting"):
            deliveries.enqueue(connection, "s1", item, "{}", now)
        taken = next(delivery for delivery in deliveries.listed(connection, None, "s1") if delivery.item_id == "taken")
        deliveries.mark_delivered(connection, taken, 200, now)
        for id in ("done", "doubtful", "named"):
            runs.insert(connection, run(id), "sending", now)
            runs.finish(connection, run(id), "unknown" if id == "doubtful" else "done", {}, now)

    def left(connection: Connection) -> tuple[list[str], ...]:
        keys = connection.execute(select(runs.runs.c.id).order_by("id")).scalars()
        return (
            [event.event_id for event in events.listed(connection, "c1")],
            [delivery.item_id for delivery in deliveries.listed(connection, None, "s1")],
            list(keys),
        )

    await engine_host.context.write(enter)
    await clean_up_due(engine_host.context, engine_host.now())
    engine_host.clock.advance(hours=24 * 401)
    assert await clean_up_due(engine_host.context, engine_host.now()) == 2
    assert await engine_host.context.read(left) == (["open"], ["waiting"], ["done", "doubtful", "named"])
    engine_host.clock.advance(hours=24 * 3650)
    assert await clean_up_due(engine_host.context, engine_host.now()) == 2
    assert await engine_host.context.read(left) == (["open"], ["waiting"], ["doubtful"])


async def test_a_flood_of_news_is_looked_at_in_few_rounds_to_its_end(
    engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[Any] = []
    looked = asyncio.Event()

    class Looking(Work):
        name = "looking"

        async def claim(self, owner: str, most: int) -> list[Claim]:
            rounds.append(owner)
            looked.set()
            return []

        async def do(self, piece: Claim) -> Outcome:
            raise AssertionError("nothing was claimed")

    monkeypatch.setattr(kinds, "KINDS", (Looking,))
    async with running(engine_host, tick=3600.0) as engine:
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            engine.context.wake()
            await asyncio.sleep(0.001)
        assert len(rounds) <= 10, "a round for each of the thousand would hold up everything else"
        looked.clear()
        await asyncio.wait_for(looked.wait(), 30)  # the last of the flood is looked at too, long before the next tick


async def test_housekeeping_asks_the_store_once_an_hour(
    engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []
    write = engine_host.context.database.write
    monkeypatch.setattr(
        engine_host.context.database, "write", lambda *given, **more: (writes.append(1), write(*given, **more))[1]
    )
    for _ in range(5):
        await clean_up_due(engine_host.context, engine_host.now())
    assert len(writes) == 2  # its turn, and the forgetting
    engine_host.clock.advance(hours=2)
    await clean_up_due(engine_host.context, engine_host.now())
    assert len(writes) == 3
