from __future__ import annotations

from connector.core.polls.cursor import Cursor
from connector.core.polls.page import may_be_cut
from tests.durable.poller.engine_host import BANK, MAIN, OTHER, TRANSACTIONS, EngineHost, arrive


async def test_three_flows_on_one_bank_connection_share_one_call(engine_host: EngineHost) -> None:
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK)
    main = await engine_host.subscribe("new_transaction", connection_id=BANK, account_id=MAIN)
    changed = await engine_host.subscribe("transaction_changed", connection_id=BANK)
    await engine_host.poll()
    assert len(engine_host.paid()) == 1
    read_again = len(Cursor.read(engine_host.cursor(changed).cursor or "").waiting)
    # A round number of rows would look like a page that was cut off, and cost another call.
    others = 3 if may_be_cut(read_again + 3 + 2) else 2
    ids = arrive(engine_host.sandbox, 3, account_id=MAIN) + arrive(engine_host.sandbox, others, account_id=OTHER)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert len(engine_host.paid()) == 2
    assert engine_host.found(whole) == ids
    assert engine_host.found(main) == ids[:3]
    assert engine_host.found(changed) == []


async def test_a_flow_that_names_only_an_account_shares_with_those_on_its_bank_connection(
    engine_host: EngineHost,
) -> None:
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK)
    main = await engine_host.subscribe("new_transaction", account_id=MAIN)
    await engine_host.poll()
    ids = arrive(engine_host.sandbox, 2, account_id=OTHER) + arrive(engine_host.sandbox, 1, account_id=MAIN)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(whole) == ids
    assert engine_host.found(main) == ids[2:]
    assert [call["query"].get("connection_id") for call in engine_host.paid()] == [BANK, BANK]


async def test_a_change_is_seen_by_the_flow_that_watches_changes(engine_host: EngineHost) -> None:
    changed = await engine_host.subscribe("transaction_changed", connection_id=BANK)
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    [pending] = arrive(engine_host.sandbox, status="pending")
    await engine_host.poll()
    engine_host.sandbox.order(f"/transactions/{pending}", status="posted")
    engine_host.clock.advance(seconds=4000)
    await engine_host.poll()
    assert engine_host.found(changed) == [f"{pending}:posted:posted"]


async def test_pending_then_posted_fires_once_when_posted_though_the_call_is_shared(engine_host: EngineHost) -> None:
    [pending] = arrive(engine_host.sandbox, status="pending", account_id=MAIN)
    main = await engine_host.subscribe("new_transaction", connection_id=BANK, account_id=MAIN)
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    later = arrive(engine_host.sandbox, 2, account_id=OTHER)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(main) == []
    engine_host.sandbox.order(f"/transactions/{pending}", status="posted")
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(main) == [pending]
    assert engine_host.found(whole) == [*later, pending]
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(main) == [pending]


async def test_a_page_that_is_cut_is_read_on_for_everybody(engine_host: EngineHost) -> None:
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    main = await engine_host.subscribe("new_transaction", connection_id=BANK, include_pending=True, account_id=MAIN)
    await engine_host.poll()
    engine_host.sandbox.order("/settings", page_size=20)
    ids = [
        id for _ in range(7) for account in (MAIN, OTHER) for id in arrive(engine_host.sandbox, 4, account_id=account)
    ]
    before = len(engine_host.paid())
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(whole) == ids  # 56 rows in three pages
    assert engine_host.found(main) == [id for at, id in enumerate(ids) if at % 8 < 4]
    assert len(engine_host.paid()) == before + 3


async def test_a_first_poll_over_cut_pages_fires_no_history(engine_host: EngineHost) -> None:
    engine_host.sandbox.order("/settings", page_size=100)
    whole = await engine_host.subscribe("new_transaction", connection_id=BANK)
    other = await engine_host.subscribe("new_transaction", connection_id=BANK, account_id=OTHER)
    for _ in range(4):
        await engine_host.poll()
        engine_host.clock.advance(seconds=100)
    assert engine_host.found(whole) == engine_host.found(other) == []
    ids = arrive(engine_host.sandbox, 3, account_id=OTHER)
    engine_host.clock.advance(seconds=400)
    await engine_host.poll()
    assert engine_host.found(whole) == engine_host.found(other) == ids


async def test_all_history_fires_when_asked_for_over_cut_pages_and_in_order(engine_host: EngineHost) -> None:
    engine_host.sandbox.order("/settings", page_size=50)
    whole = await engine_host.subscribe("new_transaction", start="all", connection_id=BANK, include_duplicates=True)
    other = await engine_host.subscribe(
        "new_transaction", start="all", connection_id=BANK, account_id=OTHER, include_duplicates=True
    )
    for _ in range(4):
        await engine_host.poll()
        engine_host.clock.advance(seconds=100)
    rows = engine_host.sandbox.api.get(TRANSACTIONS, params={"connection_id": BANK, "sort": "id"}).json()["data"]
    engine_host.sandbox.order("/settings", page_size=None)
    rows = engine_host.sandbox.api.get(TRANSACTIONS, params={"connection_id": BANK, "sort": "id"}).json()["data"]
    posted = [row for row in rows if row["status"] == "posted"]
    assert engine_host.found(whole) == [row["id"] for row in posted]
    assert engine_host.found(other) == [row["id"] for row in posted if row["account_id"] == OTHER]


async def test_two_cursors_with_the_same_free_request_share_it(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_payment", name="one")
    await engine_host.subscribe("new_payment", name="two", target="http://127.0.0.1:9/other")
    await engine_host.subscribe("payment_status_changed")
    before = len(engine_host.sandbox.requests())
    assert await engine_host.poll() == 3
    asked = [call["query"] for call in engine_host.sandbox.requests()[before:]]
    assert len([query for query in asked if "from_id" not in query]) == 1, "the whole list is read once for all"
    assert len(asked) <= 4, "and what is behind it once for each place"


async def test_a_newcomer_does_not_make_the_others_read_history_again(engine_host: EngineHost) -> None:
    await engine_host.subscribe("new_transaction", connection_id=BANK)
    await engine_host.poll()
    await engine_host.subscribe("transaction_changed", connection_id=BANK)
    await engine_host.poll()
    asked = [call["query"] for call in engine_host.paid()]
    assert not asked[0].keys() & {"from_id", "from_date"}
    assert (False, True) in [("from_id" in query, "from_date" in query) for query in asked[1:]]
