"""What is new is decided by ids that were seen, not by the highest one: rows late, ids anew, clocks fast."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from connector import Connector, Credential
from tests.durable.poller.engine_host import BANK, MAIN, EngineHost, ManualClock, arrive
from tests.support.running_sandbox import RunningSandbox

SENSELESS = "99999999999999999999"


def pay(sandbox: RunningSandbox, count: int = 1, **more: Any) -> list[str]:
    return [row["id"] for row in sandbox.order("/payments", count=count, **more)["data"]]


async def look(engine_host: EngineHost, seconds: float = 400) -> None:
    engine_host.clock.advance(seconds=seconds)
    await engine_host.poll()


async def test_a_payment_that_shows_after_a_higher_id_is_told(engine_host: EngineHost) -> None:
    new = await engine_host.subscribe("new_payment")
    changed = await engine_host.subscribe("payment_status_changed", status="settled")
    await engine_host.poll()
    [high] = pay(engine_host.sandbox, first_id=90_002)
    await look(engine_host)
    [late] = pay(engine_host.sandbox, first_id=90_001)
    engine_host.sandbox.order(f"/payments/{late}", status="settled")
    await look(engine_host)
    assert engine_host.found(new) == [high, late]
    assert engine_host.found(changed) == [f"{late}:settled"]


async def test_payments_whose_ids_begin_anew_are_told(engine_host: EngineHost) -> None:
    new = await engine_host.subscribe("new_payment")
    await engine_host.poll()
    ids = pay(engine_host.sandbox, 5, first_id=1)
    await look(engine_host)
    ids += pay(engine_host.sandbox, 2, first_id=6)
    await look(engine_host)
    assert engine_host.found(new) == engine_host.enqueued(new) == ids


@pytest.mark.parametrize(("page_size", "quiet_polls"), [(3, 0), (7, 0), (20, 0), (3, 2), (3, 3), (3, 4)])
async def test_payments_on_small_pages_are_all_told_in_one_poll(
    engine_host: EngineHost, page_size: int, quiet_polls: int
) -> None:
    engine_host.sandbox.order("/settings", payments_page_size=page_size)
    new = await engine_host.subscribe("new_payment")
    await engine_host.poll()
    for _ in range(quiet_polls):
        await look(engine_host)
    ids = pay(engine_host.sandbox, 16)
    await look(engine_host)
    assert engine_host.found(new) == ids


@pytest.mark.parametrize("page_size", [3, 7, 20])
def test_a_session_says_that_there_is_more_behind_a_small_page(sandbox: RunningSandbox, page_size: int) -> None:
    sandbox.order("/settings", payments_page_size=page_size, page_size=page_size)
    ids = pay(sandbox, 16)
    rows = arrive(sandbox, 16)
    with Connector().open(Credential(sandbox.url, "sandbox-key")) as session:
        for trigger, inputs, wanted in [
            ("new_payment", {}, ids),
            ("new_transaction", {"account_id": MAIN}, rows),
        ]:
            start = f"since:{int(wanted[0]) - 1}"
            polled = session.poll(trigger, inputs, start=start)
            ids_of_items = [item["_id"] for item in polled.items]
            while polled.more:
                polled = session.poll(trigger, inputs, polled.cursor)
                ids_of_items += [item["_id"] for item in polled.items]
            assert ids_of_items == wanted


async def test_transactions_whose_ids_begin_anew_are_troubles_at_once_and_told_at_the_next_check(
    engine_host: EngineHost,
) -> None:
    subscription = await engine_host.subscribe("new_transaction", account_id=MAIN)
    await engine_host.poll()
    ids = [id for number in range(1, 6) for id in arrive(engine_host.sandbox, id=str(number))]
    await look(engine_host)
    trouble = engine_host.cursor(subscription).trouble
    assert trouble is not None
    assert trouble["message"].endswith("not shown: 5.")
    await look(engine_host)
    assert engine_host.found(subscription) == engine_host.enqueued(subscription) == ids
    assert engine_host.cursor(subscription).trouble is None


async def test_transactions_whose_ids_begin_anew_are_told_while_others_go_on_arriving(engine_host: EngineHost) -> None:
    new = await engine_host.subscribe("new_transaction", account_id=MAIN)
    await engine_host.poll()
    first: list[str] = []
    for number in range(1, 7):
        first += arrive(engine_host.sandbox, id=str(number))
        await look(engine_host)
        assert set(first[:-2]) <= set(engine_host.found(new)), number


async def test_one_senseless_id_delays_no_row(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", account_id=MAIN)
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 20) + arrive(engine_host.sandbox, id=SENSELESS)
    await look(engine_host)
    for count in (5, 4, 4):
        ids += arrive(engine_host.sandbox, count)
        await look(engine_host)
        assert engine_host.found(subscription) == ids


async def test_a_clock_40_days_fast_gives_up_no_pending_row(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", account_id=MAIN)
    await engine_host.poll()
    [pending] = arrive(engine_host.sandbox, status="pending")
    await look(engine_host)
    assert isinstance(engine_host.clock, ManualClock)
    engine_host.clock.wrong_by = timedelta(days=40)
    arrive(engine_host.sandbox)
    await engine_host.poll_all()
    engine_host.clock.wrong_by = timedelta(0)
    engine_host.sandbox.order(f"/transactions/{pending}", status="posted")
    await engine_host.poll_all()
    assert pending in engine_host.found(subscription)


async def test_a_row_that_shows_late_in_another_account_is_counted_there(engine_host: EngineHost) -> None:
    subscription = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 3, unseen=1)
    await look(engine_host)
    ids += arrive(engine_host.sandbox, id=str(int(ids[0]) - 1))
    await look(engine_host)
    assert engine_host.found(subscription) == ids
    assert engine_host.cursor(subscription).trouble is None
