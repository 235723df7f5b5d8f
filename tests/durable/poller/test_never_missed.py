from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from engine_stage import BANK, MAIN, TRANSACTIONS, Stage, arrive

from connector.core.values import json
from connector.durable.poller.run_poll import lease_name
from connector.store import items, leases, subscriptions
from connector.store.budgets import Budget, set_budget


async def test_every_new_transaction_is_committed_and_owed_once_and_in_order(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    ids: list[str] = []
    for count in (1, 20, 7):
        ids += arrive(stage.desk, count)
        await stage.poll_anyway()
    assert stage.found(one) == stage.owed(one) == ids
    assert [body["_id"] for body in stage.bodies(one)] == ids


async def test_the_exact_amount_reaches_the_store(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    stage.desk.order_exact("/transactions", {"amount": Decimal("90071992547409.93")})
    await stage.poll_anyway()
    assert str(stage.bodies(one)[0]["amount"]) == "90071992547409.93"


async def test_a_late_arrival_fires_and_says_so(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    arrive(stage.desk, made_on="2025-01-02")
    await stage.poll_anyway()
    assert [body["_late"] for body in stage.bodies(one)] == [True]


async def test_two_pollers_at_once_fire_nothing_twice(stages: Callable[..., Stage]) -> None:
    hosts = [stages(), stages()]
    one = await hosts[0].subscribe("new_transaction", connection_id=BANK)
    await hosts[0].poll()
    ids = arrive(hosts[0].desk, 40)
    hosts[0].clock.advance(seconds=400)
    await asyncio.gather(*(host.poll() for host in hosts for _ in range(3)))
    await hosts[0].poll_anyway()
    assert hosts[0].found(one) == hosts[0].owed(one) == ids


async def test_a_dead_hosts_poll_is_taken_over_when_its_lease_has_run_out(stages: Callable[..., Stage]) -> None:
    dead, alive = stages(), stages()
    one = await alive.subscribe("new_transaction", connection_id=BANK)
    await alive.poll()
    ids = arrive(alive.desk)
    held = alive.write(lambda c: leases.acquire(c, lease_name(alive.cursor(one).name), "dead", 30, alive.now()))
    alive.clock.advance(seconds=400)
    alive.write(lambda c: leases.renew(c, held, 30, alive.now()))
    assert await alive.poll() == 0
    alive.clock.advance(seconds=31)
    assert await alive.poll() == 1
    assert alive.found(one) == ids
    assert dead.found(one) == ids


async def test_a_host_that_was_only_slow_cannot_commit_behind_its_successor(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    cursor, now = stage.cursor(one), stage.now()
    slow = stage.write(lambda c: leases.acquire(c, lease_name(cursor.name), "slow", 10, now))
    later = now + timedelta(seconds=11)
    quick = stage.write(lambda c: leases.acquire(c, lease_name(cursor.name), "quick", 10, later))
    mine, theirs = [("x", '{"_id":"x"}')], [("y", '{"_id":"y"}')]
    assert stage.write(lambda c: items.commit(c, quick, cursor.name, cursor.cursor, "5", mine, later))
    assert not stage.write(lambda c: items.commit(c, slow, cursor.name, cursor.cursor, "4", theirs, now))
    assert not stage.write(lambda c: items.commit(c, slow, cursor.name, "5", "4", theirs, now))
    assert stage.found(one) == ["x"]
    assert stage.cursor(one).cursor == "5"


async def test_a_poll_that_began_from_another_cursor_is_discarded(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    cursor, now = stage.cursor(one), stage.now()
    lease = stage.write(lambda c: leases.acquire(c, lease_name(cursor.name), "me", 10, now))
    assert not stage.write(lambda c: items.commit(c, lease, cursor.name, "1", "2", [("x", "{}")], now))
    assert stage.found(one) == []


async def test_the_cursor_survives_re_creation_of_the_flow(stage: Stage) -> None:
    first = await stage.subscribe("new_transaction", name="bookings", connection_id=BANK)
    await stage.poll()
    told = arrive(stage.desk, 2)
    await stage.poll_anyway()
    stage.write(lambda c: subscriptions.end(c, first.id, "deleted", stage.now()))
    assert stage.cursor(first).next_at is None
    missed = arrive(stage.desk, 3)
    stage.clock.advance(hours=1)
    assert await stage.poll() == 0
    second = await stage.subscribe("new_transaction", name="bookings", start="all", connection_id=BANK)
    await stage.poll()
    assert stage.owed(first) == told
    assert stage.owed(second) == missed


async def test_429_half_way_moves_the_cursor_only_over_what_was_read(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    await stage.poll()
    stage.desk.order("/settings", page_size=20)
    ids = arrive(stage.desk, 50)
    stage.desk.order("/faults", kind="slow", seconds=0, times=1, match={"path": TRANSACTIONS})
    stage.desk.order("/faults", kind="rate_limited", times=1, match={"path": TRANSACTIONS})
    stage.desk.order("/limits", retry_after=True, window=300.0)
    stage.clock.advance(seconds=400)
    await stage.poll()
    cursor = stage.cursor(one)
    assert stage.found(one) == ids[:20]
    assert cursor.cursor == ids[19]
    assert cursor.trouble is not None
    assert cursor.trouble["kind"] == "rate_limited"
    assert cursor.next_at is not None
    assert cursor.next_at.isoformat() >= cursor.trouble["retry_at"]
    stage.clock.advance(seconds=1000)
    await stage.poll()
    assert stage.found(one) == ids
    assert stage.cursor(one).trouble is None


async def test_page_end_unknown_continues_with_a_cap_on_credits(stages: Callable[..., Stage]) -> None:
    stage = stages(credits_per_poll=3)
    one = await stage.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    await stage.poll()
    stage.desk.order("/settings", page_size=20)
    ids = arrive(stage.desk, 130)
    before = len(stage.paid())
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(one) == ids[:60]
    assert len(stage.paid()) == before + 3
    for _ in range(2):
        stage.clock.advance(seconds=70)
        await stage.poll()
    assert stage.found(one) == ids


async def test_a_budget_holds_paid_polls_back_and_says_so(stage: Stage) -> None:
    one = await stage.subscribe("new_transaction", connection_id=BANK)
    stage.write(lambda c: set_budget(c, stage.fingerprint, Budget(per_day=0)))
    await stage.poll()
    assert stage.paid() == []
    trouble = stage.cursor(one).trouble
    assert trouble is not None
    assert trouble["kind"] == "budget_held"
    stage.write(lambda c: set_budget(c, stage.fingerprint, Budget()))
    stage.clock.advance(hours=1)
    await stage.poll()
    assert stage.cursor(one).trouble is None


async def test_a_service_that_is_down_is_tried_again_later_and_later(stage: Stage) -> None:
    one = await stage.subscribe("new_bank_account")
    stage.desk.order("/faults", kind="malformed", times=None, match={"path": "/v2/banking/accounts"})
    waits = []
    for _ in range(4):
        await stage.poll()
        cursor = stage.cursor(one)
        assert cursor.next_at is not None
        waits.append((cursor.next_at - stage.now()).total_seconds())
        stage.clock.advance(seconds=waits[-1] + 1)
    assert waits == sorted(waits)
    assert waits[-1] > 4 * waits[0]


async def test_a_revoked_credential_stops_its_polls_and_says_why(stage: Stage) -> None:
    from connector.store import credentials

    one = await stage.subscribe("new_bank_account")
    stage.write(lambda c: credentials.revoke(c, stage.credential_id, stage.now()))
    await stage.poll()
    trouble = stage.cursor(one).trouble
    assert trouble is not None
    assert trouble["kind"] == "key_refused"
    assert stage.desk.record() == []


async def test_an_unsorted_page_loses_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from connector.durable.poller import pages

    one = await stage.subscribe("new_transaction", connection_id=BANK, account_id=MAIN)
    await stage.poll()
    ids = arrive(stage.desk, 30)
    array = pages._array
    monkeypatch.setattr(pages, "CHUNK_ROWS", 10)
    monkeypatch.setattr(pages, "_array", lambda body: json.encode(json.decode(bytes(array(body)))[::-1]))
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(one) == ids


async def test_a_cursor_without_a_credential_is_not_polled(stage: Stage) -> None:
    from connector.store import cursors

    name = "0000000000000000:orphan"
    stage.write(
        lambda c: cursors.get_or_create(
            c, name, credential="0" * 16, trigger="new_payment", inputs={}, start="now", next_at=datetime.now(UTC)
        )
    )
    assert await stage.poll() == 0
    assert stage.read(lambda c: cursors.get(c, name)).next_at is None
