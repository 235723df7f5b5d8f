from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from engine_stage import BANK, Stage, arrive
from service_desk import Receiver
from sqlalchemy import Connection, select, update

from connector.durable import loop
from connector.durable.housekeeping import clean_up_due
from connector.durable.inbox.baseline import take_baseline
from connector.durable.inbox.reconcile import reconcile_due
from connector.durable.loop import Engine
from connector.durable.settings import Settings
from connector.durable.subscribe import SubscriptionRequest, subscribe
from connector.store import cursors, deliveries, events, journal
from connector.store.events import IncomingEvent
from connector.store.journal import Intent
from connector.store.schema import cursors as cursor_table
from connector.store.subscriptions import Subscription

PAYMENTS = "/v2/banking/payments"


@asynccontextmanager
async def running(stage: Stage, tick: float = 0.05) -> AsyncIterator[Engine]:
    engine = Engine(
        stage.connector,
        stage.connector.database,
        stage.vault,
        allow_private_targets=True,
        clock=stage.clock,
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


async def first_poll(stage: Stage, subscription: Subscription) -> None:
    await until(lambda: stage.cursor(subscription).polled_at is not None)


@pytest.fixture
def flow() -> Any:
    receiver = Receiver()
    yield receiver
    receiver.close()


async def test_the_engine_polls_commits_and_delivers(stage: Stage, flow: Receiver) -> None:
    async with running(stage) as engine:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, _ = await subscribe(engine.context, stage.credential_id, request, stage.now())
        await first_poll(stage, subscription)
        ids = arrive(stage.desk, 3)
        stage.clock.advance(seconds=400)
        assert [(await told(flow))["_id"] for _ in ids] == ids


async def test_a_new_subscription_wakes_the_engine(stage: Stage) -> None:
    first = await stage.subscribe("new_payment")
    async with running(stage, tick=3600.0) as engine:
        await first_poll(stage, first)
        request = SubscriptionRequest("new_bank_account", {}, "http://127.0.0.1:9/flow")
        subscription, _ = await subscribe(engine.context, stage.credential_id, request, stage.now())
        await first_poll(stage, subscription)


async def test_a_job_that_fails_does_not_stop_the_engine(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = asyncio.Event()

    async def broken(context: Any, now: Any) -> int:
        failed.set()
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(loop, "JOBS", (broken, *loop.JOBS))
    async with running(stage):
        subscription = await stage.subscribe("new_bank_account")
        await asyncio.wait_for(failed.wait(), 10)
        await first_poll(stage, subscription)


async def test_a_slow_answer_does_not_hold_up_other_polls(stage: Stage) -> None:
    slow = await stage.subscribe("new_mobility_customer")
    stage.desk.order("/faults", kind="slow", seconds=8, times=1, match={"path": "/v2/mobility"})
    async with running(stage):
        await until(lambda: any("/v2/mobility" in entry["path"] for entry in stage.desk.record()))
        quick = await stage.subscribe("new_bank_account")
        await first_poll(stage, quick)
        assert stage.cursor(slow).polled_at is None
        stage.desk.clear_faults()


async def test_a_trigger_whose_manifest_is_gone_is_shown_as_trouble_and_stops_nobody(stage: Stage) -> None:
    gone, there = await stage.subscribe("new_payment"), await stage.subscribe("new_bank_account")
    name = gone.cursor_name
    stage.write(
        lambda c: c.execute(update(cursor_table).where(cursor_table.c.name == name).values(trigger="was_renamed"))
    )
    await stage.poll()
    assert stage.cursor(there).polled_at is not None
    assert stage.read(lambda c: cursors.get(c, name)).trouble["kind"] == "input"


async def test_webhook_lost_is_found_by_the_free_sweep(stage: Stage) -> None:
    settled = await stage.subscribe("payment_settled")
    await take_baseline(stage.context, stage.credential_id, stage.now())
    payment = next(one for one in stage.desk.api.get(PAYMENTS).json()["data"] if one["status"] == "processing")
    stage.desk.order(f"/payments/{payment['id']}", status="settled")
    assert await reconcile_due(stage.context, stage.now()) == 1
    assert stage.owed(settled) == [f"{payment['id']}:settled"]
    stage.clock.advance(seconds=700)
    assert await reconcile_due(stage.context, stage.now()) == 0
    assert stage.owed(settled) == [f"{payment['id']}:settled"]
    assert stage.paid() == []


async def test_a_credential_is_reconciled_once_in_ten_minutes_by_all_hosts_together(stage: Stage) -> None:
    await stage.subscribe("payment_settled")
    await take_baseline(stage.context, stage.credential_id, stage.now())
    before = len(stage.desk.record())
    for _ in range(5):
        await reconcile_due(stage.context, stage.now())
    assert len(stage.desk.record()) == before + 1
    stage.clock.advance(seconds=601)
    await reconcile_due(stage.context, stage.now())
    assert len(stage.desk.record()) == before + 2


async def test_nobody_listens_to_payments_then_nothing_is_reconciled(stage: Stage) -> None:
    await stage.subscribe("refresh_complete")
    assert await reconcile_due(stage.context, stage.now()) == 0
    assert stage.desk.record() == []


async def test_items_long_past_are_forgotten_once_a_day(stage: Stage) -> None:
    subscription = await stage.subscribe("new_bank_account", start="all")
    await stage.poll()
    found = len(stage.found(subscription))
    assert await clean_up_due(stage.context, stage.now()) == 0
    stage.clock.advance(hours=24 * 91)
    assert await clean_up_due(stage.context, stage.now()) == found > 0
    await stage.poll()
    assert stage.found(subscription) == []


async def test_old_records_are_forgotten_and_nothing_that_still_waits(stage: Stage) -> None:
    def intent(key: str) -> Intent:
        return Intent("c", key, "create_cash_book_entry", "d", b"{}", "owner")

    def enter(connection: Connection) -> None:
        now = stage.now()
        arrivals = [IncomingEvent("c1", id, "card_blocked", "{}") for id in ("decided", "open")]
        events.insert(connection, arrivals, now)
        decided = [event.id for event in events.listed(connection, "c1") if event.event_id == "decided"]
        events.set_state(connection, decided, "unknown", now)
        for item in ("taken", "waiting"):
            deliveries.enqueue(connection, "s1", item, "{}", now)
        taken = next(one for one in deliveries.listed(connection, "s1") if one.item_id == "taken")
        deliveries.mark_delivered(connection, taken, 200, now)
        for key in ("~done", "~doubtful", "named"):
            journal.begin(connection, intent(key), now)
            journal.finish(connection, intent(key), "doubtful" if key == "~doubtful" else "done", {}, now)

    def left(connection: Connection) -> tuple[list[str], ...]:
        keys = connection.execute(select(journal.journal.c.key).order_by("id")).scalars()
        return (
            [event.event_id for event in events.listed(connection, "c1")],
            [one.item_id for one in deliveries.listed(connection, "s1")],
            list(keys),
        )

    await stage.context.write(enter)
    await clean_up_due(stage.context, stage.now())
    stage.clock.advance(hours=24 * 401)
    assert await clean_up_due(stage.context, stage.now()) == 3
    assert await stage.context.read(left) == (["open"], ["waiting"], ["~doubtful", "named"])


async def test_a_flood_of_news_is_looked_at_in_few_rounds_to_its_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[Any] = []
    looked = asyncio.Event()

    async def look(context: Any, now: Any) -> int:
        rounds.append(now)
        looked.set()
        return 0

    monkeypatch.setattr(loop, "JOBS", (look,))
    async with running(stage, tick=3600.0) as engine:
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            engine.context.wake()
            await asyncio.sleep(0.001)
        assert len(rounds) <= 10, "a round for each of the thousand would hold up everything else"
        looked.clear()
        await asyncio.wait_for(looked.wait(), 30)  # the last of the flood is looked at too, long before the next tick


async def test_housekeeping_asks_the_store_once_an_hour(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[int] = []
    write = stage.context.database.write
    monkeypatch.setattr(
        stage.context.database, "write", lambda *given, **more: (writes.append(1), write(*given, **more))[1]
    )
    for _ in range(5):
        await clean_up_due(stage.context, stage.now())
    assert len(writes) == 2  # its turn, and the forgetting
    stage.clock.advance(hours=2)
    await clean_up_due(stage.context, stage.now())
    assert len(writes) == 3
