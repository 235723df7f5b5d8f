"""Rows that were once missed, late or dear: a posted one between two parts of a poll, a pending one, a late one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from connector import Connector, Credential
from connector.runtime.poll import rows_counted
from connector.store.triggers.subscriptions import Subscription
from tests.durable.poller.engine_host import BANK, MAIN, OTHER, EngineHost, arrive
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.long

ODD = [7, 25, 64]


async def look(engine_host: EngineHost, seconds: float = 400) -> int:
    """Let time pass and poll what is due; return how many credits that cost."""
    before = len(engine_host.paid())
    engine_host.clock.advance(seconds=seconds)
    await engine_host.poll()
    return len(engine_host.paid()) - before


async def started(engine_host: EngineHost, trigger: str = "new_transaction", **inputs: object) -> Subscription:
    """Start a flow, and read what is there already."""
    subscription = await engine_host.subscribe(trigger, **{"connection_id": BANK, **inputs})
    await engine_host.poll()
    return subscription


async def test_a_row_posted_between_two_parts_of_a_poll_is_told(make_host: Callable[..., EngineHost]) -> None:
    engine_host = make_host(credits_per_poll=3)
    subscription = await started(engine_host, account_id=MAIN)
    pending: list[str] = []
    for _ in range(6):  # so far apart that each stands on a page of its own
        pending += arrive(engine_host.sandbox, status="pending")
        arrive(engine_host.sandbox, 30)
    await look(engine_host)
    engine_host.sandbox.order("/settings", page_size=20)
    engine_host.sandbox.order(f"/transactions/{pending[-1]}", status="posted")
    assert await look(engine_host) == 3
    assert engine_host.cursor(subscription).sign["unfinished"]
    engine_host.sandbox.order(f"/transactions/{pending[0]}", status="posted")  # behind the part that was read
    for _ in range(6):
        await look(engine_host)
    assert set(engine_host.found(subscription)) >= {pending[0], pending[-1]}


async def test_a_row_posted_while_one_looks_only_ahead_is_told(engine_host: EngineHost) -> None:
    subscription = await started(engine_host)
    [pending] = arrive(engine_host.sandbox, status="pending")
    for _ in range(9):
        ids = arrive(engine_host.sandbox)
        await look(engine_host)
        assert engine_host.found(subscription)[-1] == ids[-1]
    engine_host.sandbox.order(f"/transactions/{pending}", status="posted")
    await look(engine_host)
    assert engine_host.found(subscription)[-1] == pending


async def test_a_row_posted_while_another_goes_pending_is_told_in_the_same_poll(engine_host: EngineHost) -> None:
    subscription = await started(engine_host, account_id=MAIN)
    [first] = arrive(engine_host.sandbox, status="pending")
    arrive(engine_host.sandbox, 11)
    await look(engine_host)
    engine_host.sandbox.order(f"/transactions/{first}", status="posted")
    [second] = arrive(engine_host.sandbox, status="pending")  # as many are pending as before
    assert await look(engine_host) == 2, "one page ahead, and one for the row that was posted"
    assert engine_host.found(subscription)[-1] == first
    assert second in (engine_host.cursor(subscription).cursor or "")
    engine_host.sandbox.order(f"/transactions/{second}", status="posted")
    await look(engine_host)
    assert engine_host.found(subscription)[-1] == second


async def test_a_row_posted_while_another_goes_pending_is_told_by_the_next_part_of_the_poll(
    make_host: Callable[..., EngineHost],
) -> None:
    engine_host = make_host(credits_per_poll=1)
    subscription = await started(engine_host, account_id=MAIN)
    [first] = arrive(engine_host.sandbox, status="pending")
    await look(engine_host)
    engine_host.sandbox.order(f"/transactions/{first}", status="posted")
    arrive(engine_host.sandbox, status="pending")
    costs = [await look(engine_host) for _ in range(3)]
    assert engine_host.found(subscription) == [first]
    assert costs == [1, 1, 0]


async def test_one_pending_row_that_never_posts_costs_nothing_more_and_holds_up_nobody(engine_host: EngineHost) -> None:
    subscription = await started(engine_host, account_id=MAIN)
    [pending] = arrive(engine_host.sandbox, status="pending")
    arrive(engine_host.sandbox, 100)
    await look(engine_host)
    engine_host.sandbox.order("/settings", page_size=20)
    costs = []
    for _ in range(3):
        ids = arrive(engine_host.sandbox, 2)
        costs.append(await look(engine_host))
        assert engine_host.found(subscription)[-2:] == ids, "told at once, not in a later part of the poll"
    assert costs == [1, 1, 1]
    engine_host.sandbox.order(f"/transactions/{pending}", status="posted")
    assert await look(engine_host) <= 2
    assert engine_host.found(subscription)[-1] == pending


async def test_pending_rows_have_a_slow_watch_of_their_own_where_nothing_counts_them(
    engine_host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connector.durable.poller.change_signals.pending_counted", lambda accounts: {})
    subscription = await started(engine_host)
    [pending] = arrive(engine_host.sandbox, status="pending")
    await look(engine_host)
    engine_host.sandbox.order(f"/transactions/{pending}", status="posted")
    await look(engine_host)
    assert engine_host.found(subscription) == [pending]


async def test_a_row_that_shows_late_under_a_lower_id_is_told(engine_host: EngineHost) -> None:
    subscription = await started(engine_host, account_id=MAIN)
    ids = arrive(engine_host.sandbox, 3, unseen=1)
    await look(engine_host)
    [late] = arrive(engine_host.sandbox, id=str(int(ids[0]) - 1))
    await look(engine_host)
    assert engine_host.found(subscription) == [*ids, late]
    assert engine_host.enqueued(subscription) == [*ids, late]


@pytest.fixture
def counted_too_early(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Rows that the accounts list counts though the list of transactions does not show them yet, by account."""
    ahead = Counter[str]()
    monkeypatch.setattr(
        "connector.durable.poller.change_signals.rows_counted",
        lambda accounts: {id: count + ahead[id] for id, count in rows_counted(accounts).items()},
    )
    return ahead


@pytest.mark.parametrize("days", [1, 5, 12])
async def test_a_row_that_is_counted_days_before_it_shows_is_told(
    engine_host: EngineHost, counted_too_early: Counter[str], days: int
) -> None:
    subscription = await started(engine_host, account_id=MAIN)
    ids = arrive(engine_host.sandbox, 3, unseen=1)
    await look(engine_host)
    counted_too_early[MAIN] = 1
    ids += arrive(engine_host.sandbox)
    assert await look(engine_host) == 3, "a page, one more because the count says so, and a look for the late row"
    costs = [await look(engine_host, 6 * 3600) for _ in range(4 * days)]
    assert sum(costs) <= 2 * days + 8, "two looks a day because the list is old, and ever fewer for late rows"
    trouble = engine_host.cursor(subscription).trouble
    assert trouble is not None
    assert trouble["message"].endswith("has not shown: 1.")
    [late] = arrive(engine_host.sandbox, id=str(int(ids[0]) - 1))
    counted_too_early[MAIN] = 0
    for _ in range(70):
        await look(engine_host, 3600)
    assert engine_host.found(subscription) == [*ids, late]
    assert not engine_host.cursor(subscription).sign["late"]["missing"]


async def test_a_row_that_never_shows_is_given_up_after_a_number_of_looks_and_never_by_the_clock(
    engine_host: EngineHost, counted_too_early: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connector.durable.poller.late_rows.MAX_CHECKS", 5)
    subscription = await started(engine_host, account_id=MAIN)
    await look(engine_host)
    counted_too_early[MAIN] = 1
    arrive(engine_host.sandbox)
    await look(engine_host)
    await look(engine_host, 40 * 24 * 3600)
    assert engine_host.cursor(subscription).trouble, "40 days are no reason to give up"
    for _ in range(20):
        await look(engine_host, 6 * 3600)
    assert engine_host.cursor(subscription).trouble is None
    assert not engine_host.cursor(subscription).sign["late"]["missing"]
    assert sum([await look(engine_host, 3600) for _ in range(24)]) <= 2, "only because the list is old"


async def test_of_two_missing_rows_the_second_is_looked_for_after_the_first_was_found(
    engine_host: EngineHost, counted_too_early: Counter[str]
) -> None:
    subscription = await started(engine_host, account_id=MAIN)
    ids = arrive(engine_host.sandbox, 3, unseen=2)
    await look(engine_host)
    first = int(ids[0]) - 2
    counted_too_early[MAIN] = 1
    late = arrive(engine_host.sandbox, id=str(first))
    await look(engine_host)
    assert engine_host.found(subscription) == [*ids, *late]
    late += arrive(engine_host.sandbox, id=str(first + 1))
    counted_too_early[MAIN] = 0
    for _ in range(30):
        await look(engine_host, 3600)
    assert engine_host.found(subscription) == [*ids, *late]


async def test_a_row_that_shows_late_on_another_page_is_looked_for_page_by_page(
    engine_host: EngineHost, counted_too_early: Counter[str]
) -> None:
    subscription = await started(engine_host, account_id=MAIN, include_pending=True)
    early = arrive(engine_host.sandbox, 1, unseen=1)
    ids = arrive(engine_host.sandbox, 30, unseen=1)
    await look(engine_host)
    counted_too_early[MAIN] = 2
    ids += arrive(engine_host.sandbox)
    engine_host.sandbox.order("/settings", page_size=20)
    await look(engine_host)
    late = arrive(engine_host.sandbox, id=str(int(early[0]) - 1))  # in the part that was just looked through
    late += arrive(engine_host.sandbox, id=str(int(ids[0]) - 1))
    counted_too_early[MAIN] = 0
    for _ in range(4 * 5):
        await look(engine_host, 6 * 3600)
    assert sorted(engine_host.found(subscription)) == sorted([*early, *ids, *late])


async def test_late_rows_are_told_at_once_for_one_credit_more(engine_host: EngineHost) -> None:
    subscription = await started(engine_host, account_id=MAIN)
    ids = arrive(engine_host.sandbox, 3, unseen=4)
    await look(engine_host)
    first = int(ids[0]) - 4
    costs, late = [], list[str]()
    for number in range(4):
        late += arrive(engine_host.sandbox, id=str(first + number))
        costs.append(await look(engine_host))
    assert engine_host.found(subscription) == [*ids, *late]
    assert costs == [2, 2, 2, 2]
    costs = [await look(engine_host, 3600) for _ in range(25)]
    assert sum(costs) <= 3, "two looks because the list is old"


async def test_a_late_row_is_not_forgotten_while_a_long_list_is_read_in_parts(
    make_host: Callable[..., EngineHost], counted_too_early: Counter[str]
) -> None:
    engine_host = make_host(credits_per_poll=2)
    subscription = await started(engine_host, account_id=MAIN, include_pending=True)
    ids = arrive(engine_host.sandbox, 3, unseen=2)
    await look(engine_host)
    late = arrive(engine_host.sandbox, id=str(int(ids[0]) - 2))
    await look(engine_host)
    counted_too_early[MAIN] = 1
    ids += arrive(engine_host.sandbox)
    await look(engine_host)
    late += arrive(engine_host.sandbox, id=str(int(ids[0]) - 1))
    counted_too_early[MAIN] = 0
    assert engine_host.cursor(subscription).sign["late"]["missing"]
    engine_host.sandbox.order("/settings", page_size=20)
    many = arrive(engine_host.sandbox, 90)
    for _ in range(4):
        await look(engine_host)
    engine_host.sandbox.order("/settings", page_size=None)
    for _ in range(4):
        await look(engine_host, 3600)
    assert sorted(engine_host.found(subscription)) == sorted([*ids, *late, *many])


async def test_a_pending_row_that_shows_late_is_waited_for(engine_host: EngineHost) -> None:
    subscription = await started(engine_host)
    ids = arrive(engine_host.sandbox, 3, unseen=1)
    await look(engine_host)
    [late] = arrive(engine_host.sandbox, id=str(int(ids[0]) - 1), status="pending")
    await look(engine_host)
    assert engine_host.found(subscription) == ids
    engine_host.sandbox.order(f"/transactions/{late}", status="posted")
    await look(engine_host)
    assert engine_host.found(subscription) == [*ids, late]


@pytest.mark.parametrize("page_size", ODD)
async def test_changes_are_seen_on_every_page_of_any_size(engine_host: EngineHost, page_size: int) -> None:
    engine_host.sandbox.order("/settings", page_size=page_size)
    pending = [
        id for _ in range(4) for id in (*arrive(engine_host.sandbox, status="pending"), *arrive(engine_host.sandbox, 9))
    ]
    changed = await started(engine_host, "transaction_changed")
    for at in (30, 0, 20, 10):
        engine_host.sandbox.order(f"/transactions/{pending[at]}", status="posted")
    for _ in range(12):  # 5 credits a poll
        await look(engine_host, 4000)
    assert sorted(engine_host.found(changed)) == sorted(f"{pending[at]}:posted:posted" for at in (0, 10, 20, 30))


@pytest.mark.parametrize("page_size", ODD)
def test_a_session_sees_changes_on_every_page_of_any_size(sandbox: RunningSandbox, page_size: int) -> None:
    sandbox.order("/settings", page_size=page_size)
    pending = [id for _ in range(4) for id in (*arrive(sandbox, status="pending"), *arrive(sandbox, 9))]
    with Connector().open(Credential(sandbox.url, "sandbox-key")) as session:
        inputs = {"connection_id": BANK, "days": 1}
        polled = session.poll("transaction_changed", inputs)
        for at in (30, 0, 20, 10):
            sandbox.order(f"/transactions/{pending[at]}", status="posted")
        ids_of_items, more = list[str](), True
        while more:
            polled = session.poll("transaction_changed", inputs, polled.cursor)
            ids_of_items += [item["_id"] for item in polled.items]
            more = polled.more
    assert sorted(ids_of_items) == sorted(f"{pending[at]}:posted:posted" for at in (0, 10, 20, 30))


async def test_what_arrives_behind_more_than_a_hundred_pages_of_history_is_new(engine_host: EngineHost) -> None:
    engine_host.sandbox.order("/settings", page_size=2)
    subscription = await started(engine_host, include_pending=True)
    assert len(engine_host.paid()) > 100
    assert not engine_host.cursor(subscription).sign.get("unfinished")
    ids = arrive(engine_host.sandbox, 3, account_id=OTHER)
    await look(engine_host)
    assert engine_host.found(subscription) == ids


def test_a_session_passes_over_more_than_a_hundred_pages_of_history(sandbox: RunningSandbox) -> None:
    sandbox.order("/settings", page_size=2)
    inputs = {"connection_id": BANK, "include_pending": True}
    with Connector().open(Credential(sandbox.url, "sandbox-key")) as session:
        first = session.poll("new_transaction", inputs)
        assert first.credits.cost > 100
        ids = arrive(sandbox, 2)
        then = session.poll("new_transaction", inputs, first.cursor)
    assert [item["id"] for item in then.items] == ids
