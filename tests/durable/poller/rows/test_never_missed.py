from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from connector.core.timing import BeatObserver
from connector.durable.poller.run_poll import lease_name
from connector.store.database import leases
from connector.store.rates.usage import Budget, set_budget
from connector.store.triggers import items, subscriptions
from tests.durable.poller.engine_host import BANK, MAIN, TRANSACTIONS, EngineHost, arrive


async def test_every_new_transaction_is_committed_and_owed_once_and_in_order(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    ids: list[str] = []
    for count in (1, 20, 7):
        ids += arrive(engine_host.sandbox, count)
        await engine_host.poll_all()
    assert engine_host.found(subscription) == engine_host.enqueued(subscription) == ids
    assert [body["_id"] for body in engine_host.bodies(subscription)] == ids


async def test_the_exact_amount_reaches_the_store(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    engine_host.sandbox.order_exact("/transactions", {"amount": Decimal("90071992547409.93")})
    await engine_host.poll_all()
    assert str(engine_host.bodies(subscription)[0]["amount"]) == "90071992547409.93"


async def test_a_late_arrival_fires_and_says_so(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    arrive(engine_host.sandbox, made_on="2025-01-02")
    await engine_host.poll_all()
    assert [body["_late"] for body in engine_host.bodies(subscription)] == [True]


async def test_two_pollers_at_once_fire_nothing_twice(make_host: Callable[..., EngineHost]) -> None:
    hosts = [make_host(), make_host()]
    subscription = await hosts[0].subscribe("new_transaction", connection_id=BANK)
    await hosts[0].poll()
    ids = arrive(hosts[0].sandbox, 40)
    hosts[0].clock.advance(seconds=400)
    await asyncio.gather(*(host.poll() for host in hosts for _ in range(3)))
    await hosts[0].poll_all()
    assert hosts[0].found(subscription) == hosts[0].enqueued(subscription) == ids


async def test_a_dead_hosts_poll_is_taken_over_when_its_counter_stands_still(
    make_host: Callable[..., EngineHost],
) -> None:
    dead, alive = make_host(), make_host()
    subscription = await alive.subscribe("new_transaction", connection_id=BANK)
    await alive.poll()
    ids = arrive(alive.sandbox)
    name = lease_name(alive.cursor(subscription).name)
    held = alive.write(lambda c: leases.acquire(c, name, "dead", BeatObserver(), 0.0))
    for _ in range(20):
        alive.clock.advance(seconds=20)
        alive.write(lambda c: leases.renew(c, held))
        assert await alive.poll() == 0
    alive.clock.advance(seconds=21)
    assert await alive.poll() == 1
    assert alive.found(subscription) == ids
    assert dead.found(subscription) == ids


async def test_a_host_that_was_only_slow_cannot_commit_behind_its_successor(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    cursor, now = engine_host.cursor(subscription), engine_host.now()
    observer, name = BeatObserver(), lease_name(cursor.name)
    slow = engine_host.write(lambda c: leases.acquire(c, name, "slow", observer, 0.0))
    assert engine_host.write(lambda c: leases.acquire(c, name, "quick", observer, 0.0)) is None
    quick = engine_host.write(lambda c: leases.acquire(c, name, "quick", observer, 21.0))
    mine, theirs = [("x", '{"_id":"x"}')], [("y", '{"_id":"y"}')]
    assert engine_host.write(lambda c: items.commit(c, quick, cursor.name, cursor.cursor, "5", mine, now))
    assert not engine_host.write(lambda c: items.commit(c, slow, cursor.name, cursor.cursor, "4", theirs, now))
    assert not engine_host.write(lambda c: items.commit(c, slow, cursor.name, "5", "4", theirs, now))
    assert engine_host.found(subscription) == ["x"]
    assert engine_host.cursor(subscription).cursor == "5"


async def test_a_poll_that_began_from_another_cursor_is_discarded(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    cursor, now = engine_host.cursor(subscription), engine_host.now()
    lease = engine_host.write(lambda c: leases.acquire(c, lease_name(cursor.name), "me", BeatObserver(), 0.0))
    assert not engine_host.write(lambda c: items.commit(c, lease, cursor.name, "1", "2", [("x", "{}")], now))
    assert engine_host.found(subscription) == []


async def test_the_cursor_survives_re_creation_of_the_flow(engine_host: EngineHost) -> None:
    first = await engine_host.subscribe("new_transaction", name="bookings", connection_id=BANK)
    await engine_host.poll()
    arrived = arrive(engine_host.sandbox, 2)
    await engine_host.poll_all()
    engine_host.write(lambda c: subscriptions.end(c, first.id, "deleted", engine_host.now()))
    assert engine_host.cursor(first).next_at is None
    missed = arrive(engine_host.sandbox, 3)
    engine_host.clock.advance(hours=1)
    assert await engine_host.poll() == 0
    second = await engine_host.subscribe("new_transaction", name="bookings", start="all", connection_id=BANK)
    await engine_host.poll()
    assert engine_host.enqueued(first) == arrived
    assert engine_host.enqueued(second) == missed


async def test_429_half_way_moves_the_cursor_only_over_what_was_read(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    await engine_host.poll()
    engine_host.sandbox.order("/settings", page_size=20)
    ids = arrive(engine_host.sandbox, 50)
    engine_host.sandbox.order("/faults", kind="slow", seconds=0, times=1, match={"path": TRANSACTIONS})
    engine_host.sandbox.order("/faults", kind="rate_limited", times=1, match={"path": TRANSACTIONS})
    engine_host.sandbox.order("/limits", retry_after=True, window=300.0)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    cursor = engine_host.cursor(subscription)
    assert engine_host.found(subscription) == ids[:20]
    assert cursor.cursor == ids[19]
    assert cursor.trouble is not None
    assert cursor.trouble["kind"] == "rate_limited"
    assert cursor.next_at is not None
    assert cursor.next_at.isoformat() >= cursor.trouble["retry_at"]
    engine_host.clock.advance(seconds=1000)
    await engine_host.end_rate_window()
    await engine_host.poll()
    assert engine_host.found(subscription) == ids
    assert engine_host.cursor(subscription).trouble is None


async def test_page_end_unknown_continues_with_a_cap_on_credits(make_host: Callable[..., EngineHost]) -> None:
    engine_host = make_host(credits_per_poll=3)
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    await engine_host.poll()
    engine_host.sandbox.order("/settings", page_size=20)
    ids = arrive(engine_host.sandbox, 130)
    before = len(engine_host.paid())
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(subscription) == ids[:60]
    assert len(engine_host.paid()) == before + 3
    for _ in range(2):
        engine_host.clock.advance(seconds=70)
        await engine_host.poll()
    assert engine_host.found(subscription) == ids


async def test_a_budget_holds_paid_polls_back_and_says_so(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    engine_host.write(lambda c: set_budget(c, engine_host.fingerprint, Budget(per_day=0)))
    await engine_host.poll()
    assert engine_host.paid() == []
    trouble = engine_host.cursor(subscription).trouble
    assert trouble is not None
    assert trouble["kind"] == "budget_held"
    engine_host.write(lambda c: set_budget(c, engine_host.fingerprint, Budget()))
    engine_host.clock.advance(hours=1)
    await engine_host.poll()
    assert engine_host.cursor(subscription).trouble is None


async def test_a_service_that_is_down_is_tried_again_later_and_later(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_bank_account")
    engine_host.sandbox.order("/faults", kind="malformed", times=None, match={"path": "/v2/banking/accounts"})
    waits = []
    for _ in range(4):
        await engine_host.poll()
        cursor = engine_host.cursor(subscription)
        assert cursor.next_at is not None
        waits.append((cursor.next_at - engine_host.now()).total_seconds())
        engine_host.clock.advance(seconds=waits[-1] + 1)
    assert waits == sorted(waits)
    assert waits[-1] > 4 * waits[0]


async def test_a_revoked_credential_stops_its_polls_and_says_why(engine_host: EngineHost) -> None:
    from connector.store.trust import credentials

    subscription = await engine_host.subscribe("new_bank_account")
    engine_host.write(lambda c: credentials.revoke(c, engine_host.credential_id, engine_host.now()))
    await engine_host.poll()
    trouble = engine_host.cursor(subscription).trouble
    assert trouble is not None
    assert trouble["kind"] == "key_refused"
    assert engine_host.sandbox.requests() == []


async def test_an_unsorted_page_loses_nothing(engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    from connector.durable.poller import pages

    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK, account_id=MAIN)
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 30)
    split = pages._split
    monkeypatch.setattr(pages, "CHUNK_ROWS", 10)
    monkeypatch.setattr(pages, "_split", lambda body: split(body)[::-1])
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(subscription) == ids


async def test_a_cursor_without_a_credential_is_not_polled(engine_host: EngineHost) -> None:
    from connector.store.triggers import cursors

    name = "0000000000000000:orphan"
    engine_host.write(
        lambda c: cursors.get_or_create(
            c, name, credential="0" * 16, trigger="new_payment", inputs={}, start="now", next_at=datetime.now(UTC)
        )
    )
    assert await engine_host.poll() == 0
    assert engine_host.read(lambda c: cursors.get(c, name)).next_at is None
