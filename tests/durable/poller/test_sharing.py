from __future__ import annotations

from engine_stage import BANK, MAIN, OTHER, TRANSACTIONS, Stage, arrive


async def test_three_flows_on_one_bank_connection_share_one_call(stage: Stage) -> None:
    whole = await stage.subscribe("new_transaction", connection_id=BANK)
    main = await stage.subscribe("new_transaction", connection_id=BANK, account_id=MAIN)
    changed = await stage.subscribe("transaction_changed", connection_id=BANK)
    await stage.poll()
    assert len(stage.paid()) == 1
    ids = arrive(stage.desk, 3, account_id=MAIN) + arrive(stage.desk, 2, account_id=OTHER)
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert len(stage.paid()) == 2
    assert stage.found(whole) == ids
    assert stage.found(main) == ids[:3]
    assert stage.found(changed) == []


async def test_a_flow_that_names_only_an_account_shares_with_those_on_its_bank_connection(stage: Stage) -> None:
    whole = await stage.subscribe("new_transaction", connection_id=BANK)
    main = await stage.subscribe("new_transaction", account_id=MAIN)
    await stage.poll()
    ids = arrive(stage.desk, 2, account_id=OTHER) + arrive(stage.desk, 1, account_id=MAIN)
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(whole) == ids
    assert stage.found(main) == ids[2:]
    assert [call["query"].get("connection_id") for call in stage.paid()] == [BANK, BANK]


async def test_a_change_is_seen_by_the_flow_that_watches_changes(stage: Stage) -> None:
    changed = await stage.subscribe("transaction_changed", connection_id=BANK)
    await stage.subscribe("new_transaction", connection_id=BANK)
    [pending] = arrive(stage.desk, status="pending")
    await stage.poll()
    stage.desk.order(f"/transactions/{pending}", status="posted")
    stage.clock.advance(seconds=4000)
    await stage.poll()
    assert stage.found(changed) == [f"{pending}:posted:posted"]


async def test_pending_then_posted_fires_once_when_posted_though_the_call_is_shared(stage: Stage) -> None:
    [pending] = arrive(stage.desk, status="pending", account_id=MAIN)
    main = await stage.subscribe("new_transaction", connection_id=BANK, account_id=MAIN)
    whole = await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    later = arrive(stage.desk, 2, account_id=OTHER)
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(main) == []
    stage.desk.order(f"/transactions/{pending}", status="posted")
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(main) == [pending]
    assert stage.found(whole) == [*later, pending]
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(main) == [pending]


async def test_a_page_that_is_cut_is_read_on_for_everybody(stage: Stage) -> None:
    whole = await stage.subscribe("new_transaction", connection_id=BANK, include_pending=True)
    main = await stage.subscribe("new_transaction", connection_id=BANK, include_pending=True, account_id=MAIN)
    await stage.poll()
    stage.desk.order("/settings", page_size=20)
    ids = [id for _ in range(7) for account in (MAIN, OTHER) for id in arrive(stage.desk, 4, account_id=account)]
    before = len(stage.paid())
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(whole) == ids  # 56 rows in three pages
    assert stage.found(main) == [id for at, id in enumerate(ids) if at % 8 < 4]
    assert len(stage.paid()) == before + 3


async def test_a_first_poll_over_cut_pages_fires_no_history(stage: Stage) -> None:
    stage.desk.order("/settings", page_size=100)
    whole = await stage.subscribe("new_transaction", connection_id=BANK)
    other = await stage.subscribe("new_transaction", connection_id=BANK, account_id=OTHER)
    for _ in range(4):
        await stage.poll()
        stage.clock.advance(seconds=100)
    assert stage.found(whole) == stage.found(other) == []
    ids = arrive(stage.desk, 3, account_id=OTHER)
    stage.clock.advance(seconds=400)
    await stage.poll()
    assert stage.found(whole) == stage.found(other) == ids


async def test_all_history_fires_when_asked_for_over_cut_pages_and_in_order(stage: Stage) -> None:
    stage.desk.order("/settings", page_size=50)
    whole = await stage.subscribe("new_transaction", start="all", connection_id=BANK, include_duplicates=True)
    other = await stage.subscribe(
        "new_transaction", start="all", connection_id=BANK, account_id=OTHER, include_duplicates=True
    )
    for _ in range(4):
        await stage.poll()
        stage.clock.advance(seconds=100)
    rows = stage.desk.api.get(TRANSACTIONS, params={"connection_id": BANK, "sort": "id"}).json()["data"]
    stage.desk.order("/settings", page_size=None)
    rows = stage.desk.api.get(TRANSACTIONS, params={"connection_id": BANK, "sort": "id"}).json()["data"]
    posted = [row for row in rows if row["status"] == "posted"]
    assert stage.found(whole) == [row["id"] for row in posted]
    assert stage.found(other) == [row["id"] for row in posted if row["account_id"] == OTHER]


async def test_two_cursors_with_the_same_free_request_share_it(stage: Stage) -> None:
    await stage.subscribe("new_payment", name="one")
    await stage.subscribe("new_payment", name="two")
    await stage.subscribe("payment_status_changed")
    before = len(stage.desk.record())
    assert await stage.poll() == 3
    assert len(stage.desk.record()) == before + 1


async def test_a_newcomer_does_not_make_the_others_read_history_again(stage: Stage) -> None:
    await stage.subscribe("new_transaction", connection_id=BANK)
    await stage.poll()
    await stage.subscribe("transaction_changed", connection_id=BANK)
    await stage.poll()
    asked = [call["query"] for call in stage.paid()]
    assert not asked[0].keys() & {"from_id", "from_date"}
    assert (False, True) in [("from_id" in query, "from_date" in query) for query in asked[1:]]
