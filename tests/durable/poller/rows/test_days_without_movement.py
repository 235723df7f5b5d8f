"""A simulated day on which nothing moves, looked at every minute: by the host itself, and by a platform through it.

On other days the accounts seem to move at each read: then the trigger's ceiling of paid looks holds.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from connector.core.timing import Clock
from connector.durable.poller.poll_throttle import PollThrottle
from connector.sandbox.ledger.demo import ledger_connection_id
from connector.store.triggers import subscriptions
from tests.durable.poller.engine_host import BANK, MAIN, EngineHost, arrive

pytestmark = pytest.mark.long

LEDGER = {"ledger_connection": ledger_connection_id("nordlicht")}
DAYS = [("open_item_changed", LEDGER, 5), ("new_transaction", {"connection_id": BANK}, 3)]
MINUTES = 24 * 60


@pytest.fixture(autouse=True)
def _no_rate_limit(engine_host: EngineHost) -> None:
    """A day of requests goes by in seconds, on the service's clock too."""
    engine_host.sandbox.order("/limits", limit=1_000_000)


def spent(engine_host: EngineHost) -> Decimal:
    return sum((Decimal(entry["credits_charged"]) for entry in engine_host.paid()), Decimal(0))


@pytest.mark.parametrize(("trigger", "inputs", "most"), DAYS)
async def test_on_the_host(engine_host: EngineHost, trigger: str, inputs: dict[str, str], most: int) -> None:
    subscription = await engine_host.subscribe(trigger, **inputs)
    for _ in range(MINUTES):
        await engine_host.poll()
        engine_host.clock.advance(seconds=60)
    assert 0 < spent(engine_host) <= most
    assert engine_host.found(subscription) == []


async def test_a_flow_that_is_created_again_and_again_pays_for_one_look(engine_host: EngineHost) -> None:
    for name in ("one", "one", "two"):
        flow = await engine_host.subscribe("open_item_changed", name=name, **LEDGER)
        await engine_host.poll()
        engine_host.write(lambda c, id=flow.id: subscriptions.end(c, id, "deleted", engine_host.now()))
        engine_host.clock.advance(hours=1)
    assert spent(engine_host) == 10, "each name has a cursor of its own"
    again = await engine_host.subscribe("open_item_changed", name="one", side="debitors", **LEDGER)
    await engine_host.poll()
    assert spent(engine_host) == 15, "another list"
    assert engine_host.cursor(again).next_at is not None


@pytest.mark.parametrize(("trigger", "inputs", "most"), DAYS)
async def test_on_a_platform_that_asks_the_host(
    engine_host: EngineHost, trigger: str, inputs: dict[str, str], most: int
) -> None:
    looks, session = PollThrottle(), await engine_host.context.session(engine_host.credential_id)
    cursor, now = None, Clock().utcnow()
    for minute in range(MINUTES):
        at = now + timedelta(minutes=minute)
        polled = await looks.poll(session, engine_host.connector.trigger(trigger), inputs, cursor, "now", at)
        assert polled.items == ()
        cursor = polled.cursor
    assert 0 < spent(engine_host) <= most


async def test_what_moves_is_told_at_once_to_a_platform_that_asks_the_host(engine_host: EngineHost) -> None:
    looks, session = PollThrottle(), await engine_host.context.session(engine_host.credential_id)
    trigger, now = engine_host.connector.trigger("new_transaction"), Clock().utcnow()
    cursor, inputs = None, {"account_id": MAIN}
    for minute in range(12):
        ids = arrive(engine_host.sandbox) if minute and minute % 4 == 0 else []
        before = spent(engine_host)
        polled = await looks.poll(session, trigger, inputs, cursor, "now", now + timedelta(minutes=minute))
        assert [item["id"] for item in polled.items] == ids
        assert not minute or spent(engine_host) == before + len(ids)
        cursor = polled.cursor


async def test_a_flow_that_moves_on_leaves_one_short_memory_however_long_its_cursor_is(engine_host: EngineHost) -> None:
    looks, session = PollThrottle(), await engine_host.context.session(engine_host.credential_id)
    trigger, now = engine_host.connector.trigger("new_transaction"), Clock().utcnow()
    cursor, inputs = None, {"account_id": MAIN}
    for minute in range(4):
        arrive(engine_host.sandbox, 50, status="pending")
        cursor = (await looks.poll(session, trigger, inputs, cursor, "now", now + timedelta(minutes=minute))).cursor
    assert cursor is not None
    assert len(cursor) > 3000
    [counter] = looks._paid_polls
    assert len(counter) == 32
    before = spent(engine_host)
    await looks.poll(session, trigger, inputs, cursor, "now", now + timedelta(minutes=5))
    assert spent(engine_host) == before, "it is still known"


async def test_looks_of_other_flows_and_wrong_clocks_hold_nobody_up(engine_host: EngineHost) -> None:
    looks, session = PollThrottle(), await engine_host.context.session(engine_host.credential_id)
    trigger, now = engine_host.connector.trigger("open_item_changed"), Clock().utcnow()
    first = await looks.poll(session, trigger, LEDGER, None, "now", now + timedelta(days=1))
    for at, cost in ((timedelta(0), 5), (timedelta(hours=23), 0), (timedelta(hours=24), 5)):
        again = await looks.poll(session, trigger, LEDGER, first.cursor, "now", now + at)
        assert (again.credits.cost, again.cursor) == (cost, first.cursor)
    other = await looks.poll(session, trigger, LEDGER, None, "all", now)
    assert other.items, "another flow begins whenever it likes"


@pytest.mark.parametrize(("balance", "minutes"), [(False, 1), (True, 5)])
async def test_accounts_that_seem_to_move_at_each_read_cost_no_more_than_the_ceiling(
    engine_host: EngineHost, balance: bool, minutes: int
) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    ceiling, paid = engine_host.connector.trigger("new_transaction").paid_a_day, list[Decimal]()
    for _ in range(0, MINUTES, minutes):
        engine_host.touch_accounts(balance=balance)
        await engine_host.end_rate_window()
        await engine_host.poll_all()
        paid.append(spent(engine_host))
        engine_host.clock.advance(seconds=60 * minutes)
    assert paid[-1] <= (ceiling if balance else 8), "a new time of change alone is followed ever more rarely"
    if balance:
        assert paid[-1] > paid[len(paid) // 2] > ceiling // 2, "what is held back is read later the same day"


@pytest.mark.parametrize("balance", [False, True])
async def test_they_cost_no_more_on_a_platform_that_asks_the_host(engine_host: EngineHost, balance: bool) -> None:
    looks, session = PollThrottle(), await engine_host.context.session(engine_host.credential_id)
    trigger, now, cursor = engine_host.connector.trigger("new_transaction"), Clock().utcnow(), None
    for minute in range(0, MINUTES, 5):
        at = now + timedelta(minutes=minute)
        engine_host.touch_accounts(at, balance=balance)
        await engine_host.end_rate_window()
        cursor = (await looks.poll(session, trigger, {"connection_id": BANK}, cursor, "now", at)).cursor
    assert 0 < spent(engine_host) <= (trigger.paid_a_day if balance else 8)
