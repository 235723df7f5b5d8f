"""Hosts whose wall clocks are wrong: they neither rob one another nor stand still, and leave no lasting harm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from connector.core import timing
from connector.durable.context import SharedClock
from connector.durable.inbox.reconcile import reconcile_due
from connector.durable.outbox.schedule import RETRY_DELAYS
from connector.durable.settings import WEBHOOK_CHECK_INTERVAL
from connector.durable.subscriptions import SubscriptionRequest, subscribe
from connector.durable.upkeep.due_times import ClockKeeping, pull_back
from connector.durable.work import hold_lease
from connector.store.database import leases
from connector.store.schema import cursors as cursor_table
from connector.store.triggers import cursors, deliveries, events, hooks
from connector.store.triggers.events import IncomingEvent
from tests.durable.poller.engine_host import BANK, MAIN, EngineHost, ManualClock, arrive
from tests.durable.poller.test_engine_loop import first_poll, running, told, until
from tests.support.running_sandbox import Receiver, RunningSandbox

pytestmark = pytest.mark.long

DAY = timedelta(days=1)
SKEWS = [timedelta(minutes=5), -timedelta(minutes=5), DAY, -DAY]
PAYMENTS = "/v2/banking/payments"
BEAT = 4.0


class ClockedHost(EngineHost):
    """A host with a wall clock of its own, which may be wrong, and its part in keeping the common time."""

    def __init__(self, sandbox: RunningSandbox, data: str, wrong_by: timedelta = timedelta(0)) -> None:
        self.own = ManualClock(wrong_by)
        super().__init__(sandbox, data, SharedClock(self.own))  # type: ignore[arg-type]
        assert isinstance(self.clock, SharedClock)
        self.keeping = ClockKeeping(self.clock, self.context.owner, self.context.observer)

    async def turn(self) -> None:
        """Do once what the engine does in each of its rounds."""
        await self.keeping.run_due(self.context, self.now())
        await self.poll()
        await reconcile_due(self.context, self.now())


@pytest.fixture
async def clocked(sandbox: RunningSandbox, tmp_path: Path) -> AsyncIterator[Callable[..., ClockedHost]]:
    hosts: list[ClockedHost] = []

    def make(wrong_by: timedelta = timedelta(0)) -> ClockedHost:
        hosts.append(ClockedHost(sandbox, str(tmp_path), wrong_by))
        return hosts[-1]

    yield make
    for host in hosts:
        await host.close()


async def pass_time(seconds: float, *hosts: ClockedHost) -> None:
    """Let time pass for living hosts, one heartbeat after the other."""
    for _ in range(int(seconds / BEAT)):
        for host in hosts:
            host.own.advance(seconds=BEAT)
            await host.turn()


def asked(host: EngineHost, path: str = PAYMENTS) -> int:
    return sum(entry["path"] == path for entry in host.sandbox.requests())


@pytest.mark.parametrize("skew", SKEWS)
async def test_a_working_host_keeps_its_lease_whatever_the_clock_of_another_says(
    clocked: Callable[..., ClockedHost], skew: timedelta
) -> None:
    working, other = clocked(), clocked(skew)
    async with hold_lease(working.context, "job") as held:
        assert held is not None
        for _ in range(10):
            other.own.advance(seconds=10)
            other.own.wrong_by += skew  # and it steps again and again
            async with hold_lease(other.context, "job") as stolen:
                assert stolen is None
            working.write(lambda c: leases.renew(c, held))
    working.write(lambda c: None)  # behind the release
    async with hold_lease(other.context, "job") as free:
        assert free is not None


@pytest.mark.parametrize("skew", SKEWS)
async def test_a_dead_hosts_lease_is_free_after_20_seconds_whatever_its_clock_said(
    clocked: Callable[..., ClockedHost], skew: timedelta
) -> None:
    dead, alive = clocked(skew), clocked()
    async with hold_lease(dead.context, "job"):
        async with hold_lease(alive.context, "job") as early:
            assert early is None
        alive.own.advance(seconds=20)
        async with hold_lease(alive.context, "job") as taken:
            assert taken is not None


@pytest.mark.parametrize("skew", SKEWS)
async def test_hosts_whose_clocks_differ_poll_together_as_often_as_one(
    clocked: Callable[..., ClockedHost], skew: timedelta
) -> None:
    hosts = clocked(), clocked(skew)
    await hosts[0].subscribe("new_payment")  # every 120 s
    await pass_time(40, *hosts)
    before = asked(hosts[0])
    await pass_time(1200, *hosts)
    assert 8 <= asked(hosts[0]) - before <= 12


@pytest.mark.slow
async def test_a_skewed_host_pays_for_no_more_polls(clocked: Callable[..., ClockedHost]) -> None:
    hosts = clocked(), clocked(DAY)
    await hosts[0].subscribe("new_transaction", connection_id=BANK)
    await pass_time(40, *hosts)
    before = len(hosts[0].paid())
    await pass_time(3600, *hosts)
    assert len(hosts[0].paid()) == before


@pytest.mark.parametrize("skew", SKEWS)
async def test_work_goes_on_when_the_host_that_keeps_the_clock_dies(
    clocked: Callable[..., ClockedHost], skew: timedelta
) -> None:
    keeper, other = clocked(skew), clocked()
    subscription = await other.subscribe("new_payment", start="now")
    await pass_time(40, keeper, other)
    payment = other.sandbox.api.post(PAYMENTS, json=PAYMENT).json()["data"]["id"]
    await pass_time(200, other)
    assert other.found(subscription) == [payment]


@pytest.mark.parametrize("step", [DAY, -DAY])
async def test_a_clock_that_steps_while_the_host_runs_stops_nothing(
    clocked: Callable[..., ClockedHost], step: timedelta
) -> None:
    host = clocked()
    await host.subscribe("new_payment")
    await host.subscribe("payment_settled")
    await pass_time(130, host)
    before = asked(host)
    host.own.wrong_by += step
    await pass_time(60, host)
    assert asked(host) > before, "it stood still"
    settled = asked(host)
    await pass_time(480, host)
    assert 3 <= asked(host) - settled <= 6


async def test_an_event_of_a_host_whose_clock_is_ahead_makes_others_poll_once(
    clocked: Callable[..., ClockedHost],
) -> None:
    host = clocked()
    await host.subscribe("new_bank_account")
    await host.poll()
    name = host.read(lambda c: cursors.scheduled(c, host.fingerprint))[0].name
    host.write(lambda c: cursors.nudge(c, [name], host.now()))
    host.write(lambda c: c.execute(update(cursor_table).values(nudged_at=host.now() + DAY)))
    assert [await host.poll() for _ in range(3)] == [1, 0, 0]


async def test_a_clock_a_day_ahead_and_then_corrected_does_no_lasting_harm(
    engine_host: EngineHost, flow: Receiver
) -> None:
    """Polls, events and deliveries were written by a host whose clock ran a day ahead; the next one's is right."""
    engine_host.clock.wrong_by = DAY
    request = SubscriptionRequest("new_transaction", {"connection_id": BANK, "account_id": MAIN}, flow.url)
    subscription, *_ = await subscribe(engine_host.context, engine_host.credential_id, request, engine_host.now())
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 2)
    credential, now = engine_host.credential_id, engine_host.now()

    def write(connection: object) -> None:
        events.insert(connection, [IncomingEvent(credential, "e", "card_blocked", '{"event":"card_blocked"}')], now)  # type: ignore[arg-type]
        deliveries.enqueue(connection, subscription.id, "old", '{"_id":"old"}', now)  # type: ignore[arg-type]

    engine_host.write(write)
    assert engine_host.cursor(subscription).next_at > engine_host.now()  # type: ignore[operator]
    engine_host.clock.wrong_by = timedelta(0)
    async with asyncio.timeout(60), running(engine_host):
        assert [(await told(flow))["_id"] for _ in range(3)] == ["old", *ids]
        await until(lambda: not engine_host.read(lambda c: events.due(c, now + DAY, 9)))


async def test_a_clock_that_is_corrected_while_the_host_runs_does_no_lasting_harm(
    engine_host: EngineHost, flow: Receiver
) -> None:
    engine_host.clock.wrong_by = DAY
    async with running(engine_host) as engine:
        request = SubscriptionRequest("new_transaction", {"connection_id": BANK}, flow.url)
        subscription, *_ = await subscribe(engine.context, engine_host.credential_id, request, engine.context.now())
        await first_poll(engine_host, subscription)
        ids = arrive(engine_host.sandbox, 2)
        engine_host.clock.wrong_by = timedelta(0)
        engine_host.clock.advance(seconds=40)
        assert [(await told(flow))["_id"] for _ in ids] == ids


async def test_due_times_within_their_interval_stay(engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "jittered", lambda seconds: seconds)
    daily = await engine_host.subscribe("consent_expires_soon", connection_id=BANK)  # every 6 hours
    often = await engine_host.subscribe("new_payment")
    await engine_host.poll()
    engine_host.write(lambda c: deliveries.enqueue(c, often.id, "1", "{}", engine_host.now()))
    [delivery] = engine_host.read(lambda c: deliveries.listed(c, None, often.id))
    later = engine_host.now() + timedelta(seconds=RETRY_DELAYS[0])
    engine_host.write(lambda c: deliveries.mark_failed(c, delivery, 500, "no", later))
    before = [engine_host.cursor(subscription).next_at for subscription in (daily, often)]

    def correct(by: timedelta) -> int:
        now = engine_host.now() + by
        pulled: int = engine_host.write(lambda c: pull_back(c, engine_host.connector, now))
        return pulled

    assert correct(timedelta(0)) == 0
    assert [engine_host.cursor(subscription).next_at for subscription in (daily, often)] == before
    assert correct(-timedelta(minutes=10)) == 2, "the frequent poll and the delivery are ten minutes too late"
    assert engine_host.cursor(daily).next_at == before[0]
    assert correct(-timedelta(hours=7)) == 3


async def test_a_webhook_url_checked_tomorrow_is_checked_again_today(engine_host: EngineHost) -> None:
    tomorrow = engine_host.now() + DAY
    hook = hooks.Hook("d", engine_host.credential_id, "s", None, False, "active", tomorrow, tomorrow, None)
    engine_host.write(lambda c: hooks.save(c, hook))
    assert engine_host.write(lambda c: pull_back(c, engine_host.connector, engine_host.now())) == 1
    [corrected] = engine_host.read(hooks.registered)
    assert corrected.checked_at is None
    assert corrected.heard_at < engine_host.now() + WEBHOOK_CHECK_INTERVAL


async def test_a_timer_set_by_a_clock_that_ran_ahead_is_due(engine_host: EngineHost) -> None:
    now, hour = engine_host.now(), timedelta(hours=1)

    def claim(at: timedelta) -> bool:
        claimed: bool = engine_host.write(lambda c: leases.claim_timer(c, "job", hour, now + at))
        return claimed

    assert claim(DAY)
    assert claim(timedelta(0)), "a day ahead, though it is due every hour"
    assert not claim(hour / 2)
    assert claim(hour)


PAYMENT = {
    "account_id": MAIN,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 12,
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
}
