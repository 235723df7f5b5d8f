"""The service announces no size of its pages: the free count of the accounts list tells when more must follow."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from connector import Connector, Credential
from connector.core.values import json
from connector.durable.poller.context import PollContext
from connector.durable.poller.one_shot import acknowledge, poll_once, poll_request
from connector.runtime.poll import rows_counted, rows_in
from connector.store.schema import cursors
from connector.store.triggers.subscriptions import Subscription
from tests.durable.poller.engine_host import BANK, MAIN, OTHER, TRANSACTIONS, EngineHost, arrive
from tests.support.running_sandbox import RunningSandbox

ODD = [7, 25, 64]
INPUTS = {"connection_id": BANK, "include_pending": True}


async def until_quiet(engine_host: EngineHost, *subscriptions: Subscription) -> None:
    """Polls until nobody stopped in the middle."""
    for _ in range(60):
        await engine_host.poll()
        engine_host.clock.advance(seconds=100)
        if not any(engine_host.cursor(subscription).sign.get("unfinished") for subscription in subscriptions):
            return
    raise AssertionError("the end of the list was never reached")


def expected_calls(rows: int, page_size: int) -> int:
    return -(-rows // page_size)


@pytest.mark.parametrize("page_size", ODD)
async def test_a_first_poll_passes_over_all_history(engine_host: EngineHost, page_size: int) -> None:
    engine_host.sandbox.order("/settings", page_size=page_size)
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK)
    other = await engine_host.subscribe("new_transaction", account_id=OTHER)
    await until_quiet(engine_host, whole, other)
    engine_host.clock.advance(seconds=100_000)
    await engine_host.poll_all()
    assert engine_host.found(whole) == engine_host.found(other) == []


@pytest.mark.parametrize("page_size", ODD)
async def test_a_burst_is_read_to_its_end_at_once_and_for_not_a_credit_more(
    engine_host: EngineHost, page_size: int
) -> None:
    whole = await engine_host.subscribe("new_transaction", include_pending=True, connection_id=BANK)
    main = await engine_host.subscribe("new_transaction", include_pending=True, connection_id=BANK, account_id=MAIN)
    await engine_host.poll()
    engine_host.sandbox.order("/settings", page_size=page_size)
    before = len(engine_host.paid())
    ids = arrive(engine_host.sandbox, 16, account_id=MAIN) + arrive(engine_host.sandbox, 15, account_id=OTHER)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(whole) == ids
    assert engine_host.found(main) == ids[:16]
    assert len(engine_host.paid()) == before + expected_calls(31, page_size)


async def test_pending_rows_that_are_read_again_count_once(engine_host: EngineHost) -> None:
    [pending] = arrive(engine_host.sandbox, status="pending", account_id=MAIN)
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    for _ in range(3):
        ids = arrive(engine_host.sandbox, 3, account_id=MAIN)
        before = len(engine_host.paid())
        engine_host.clock.advance(seconds=400)
        await engine_host.poll()
        assert engine_host.found(whole)[-3:] == ids
        assert len(engine_host.paid()) == before + 1
    engine_host.sandbox.order(f"/transactions/{pending}", status="posted")
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(whole)[-1] == pending


@pytest.mark.conforms("constants.sizes")
@pytest.mark.parametrize("page_size", ODD)
async def test_without_a_count_only_an_empty_page_is_the_end_of_history(
    engine_host: EngineHost, page_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connector.durable.poller.change_signals.rows_counted", lambda accounts: {})
    engine_host.sandbox.order("/settings", page_size=page_size)
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 3, account_id=MAIN)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(whole) == ids


async def test_what_arrives_after_the_first_of_many_pages_is_new(engine_host: EngineHost) -> None:
    """All of history is passed over in one poll, however many pages it has."""
    engine_host.sandbox.order("/settings", page_size=7)
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    await engine_host.poll()
    assert len(engine_host.paid()) > engine_host.context.settings.credits_per_poll
    ids = arrive(engine_host.sandbox, 3, account_id=MAIN)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(whole) == ids


def test_a_start_since_an_id_asks_from_there_at_once(sandbox: RunningSandbox) -> None:
    sandbox.order("/settings", page_size=7)
    first, *later = arrive(sandbox, 4, account_id=MAIN)
    with Connector().open(Credential(sandbox.url, "sandbox-key")) as session:
        polled = session.poll("new_transaction", INPUTS, start=f"since:{first}")
    assert [item["id"] for item in polled.items] == later
    assert polled.credits.cost == 1


async def test_an_error_amid_history_fires_none_of_it_afterwards(engine_host: EngineHost) -> None:
    engine_host.sandbox.order("/settings", page_size=7)
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK)
    engine_host.sandbox.order("/faults", kind="slow", seconds=0, times=2, match={"path": TRANSACTIONS})
    engine_host.sandbox.order("/faults", kind="malformed", times=1, match={"path": TRANSACTIONS})
    await engine_host.poll()
    assert engine_host.cursor(whole).trouble is not None
    engine_host.clock.advance(seconds=1000)
    await until_quiet(engine_host, whole)
    engine_host.clock.advance(seconds=100_000)
    await engine_host.poll_all()
    assert engine_host.found(whole) == []
    ids = arrive(engine_host.sandbox, 10)
    await engine_host.poll_all()
    assert engine_host.found(whole) == ids


@pytest.mark.parametrize("page_size", ODD)
async def test_a_poll_by_hand_passes_over_history_and_then_costs_one_call_each(
    engine_host: EngineHost, page_size: int
) -> None:
    engine_host.sandbox.order("/settings", page_size=page_size)
    session = await engine_host.context.session(engine_host.credential_id)
    work = PollContext(
        engine_host.connector,
        engine_host.connector.database,
        session,
        "me",
        engine_host.clock,
        engine_host.context.settings,
    )
    what = poll_request(work, "new_transaction", INPUTS, "now", "by hand")

    async def poll() -> list[Any]:
        outcome = await poll_once(work, what)
        polled = outcome.polled
        assert polled is not None
        await acknowledge(work, what, outcome)
        return [item["id"] for item in polled.items]

    for _ in range(12):
        assert await poll() == []
    ids = arrive(engine_host.sandbox, 10, account_id=MAIN)
    before = len(engine_host.paid())
    polled_ids = await poll()
    assert len(engine_host.paid()) == before + 1
    assert polled_ids + await poll() == ids


@pytest.mark.parametrize("page_size", ODD)
def test_a_session_passes_over_history(sandbox: RunningSandbox, page_size: int) -> None:
    sandbox.order("/settings", page_size=page_size)
    with Connector().open(Credential(sandbox.url, "sandbox-key")) as session:
        first = session.poll("new_transaction", INPUTS)
        calls = [entry for entry in sandbox.requests() if entry["credits_charged"]]
        ids = arrive(sandbox, 3, account_id=MAIN)
        then = session.poll("new_transaction", INPUTS, first.cursor)
    assert first.items == ()
    assert first.credits.cost == len(calls)
    assert [item["id"] for item in then.items] == ids


def test_what_is_not_counted_is_not_expected() -> None:
    accounts = [
        {"id": "1", "extra": {"transactions_count": {"posted": 3, "pending": 1}}},
        {"id": 2, "extra": {"transactions_count": {"posted": 5}}},
        {"id": "3", "extra": {"transactions_count": {"posted": "many", "pending": None}}},
        {"id": "4", "extra": {"transactions_count": 7}},
        {"id": "5", "extra": None},
        {"id": "6"},
    ]
    counted = rows_counted(accounts)
    assert counted == {"1": 4, "2": 5}
    assert (rows_in(counted, "2"), rows_in(counted, "3"), rows_in(counted, None)) == (5, None, 9)
    assert rows_in({}, None) is None


async def test_a_count_that_promises_too_much_costs_one_call_and_ever_fewer_looks_for_late_rows(
    engine_host: EngineHost,
) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    await engine_host.poll()
    sign = engine_host.cursor(subscription).sign
    fewer = json.encode({**sign, "rows": sign["rows"] - 5}).decode()
    engine_host.write(lambda c: c.execute(update(cursors).values(sign=fewer)))
    for calls in (3, 2, 1):
        before, ids = len(engine_host.paid()), arrive(engine_host.sandbox, 3)
        engine_host.clock.advance(seconds=400)
        await engine_host.poll()
        assert engine_host.found(subscription)[-3:] == ids
        assert len(engine_host.paid()) == before + calls
