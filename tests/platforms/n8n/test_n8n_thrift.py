"""A workflow that n8n runs every minute pays only for looks that are due, or that a free sign calls for."""

from __future__ import annotations

from typing import Any

import pytest
from n8n_engine import Flow, Stand
from service_desk import Desk

from connector import Connector
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
DAY, HOUR, MINUTE = 86_400, 3600, 60
LEDGER = {"ledger_connection": ledger_connection_id("nordlicht")}
DAYS = [
    ("open_item_changed", LEDGER, 5),
    ("new_transaction", {"account_id": MAIN_ACCOUNT}, 3),
    ("new_transaction", {"connection_id": HOUSE_BANK}, 3),
]


def spent(desk: Desk) -> int:
    return sum(entry["credits_charged"] or 0 for entry in desk.record())


def flow(stand: Stand, id: str, inputs: dict[str, Any]) -> Flow:
    return Flow(stand, CONNECTOR.trigger(id), "now", **inputs)


@pytest.mark.parametrize(("id", "inputs", "most"), DAYS)
def test_a_day_without_movement_every_minute(
    stand: Stand, desk: Desk, id: str, inputs: dict[str, Any], most: int
) -> None:
    ours = flow(stand, id, inputs)
    for minute in range(DAY // MINUTE):
        ours.seconds_ahead = minute * MINUTE
        assert ours.poll() == []
    assert 0 < spent(desk) <= most


def test_what_moves_is_told_within_the_minute(stand: Stand, desk: Desk) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    for minute in range(1, 30):
        ours.seconds_ahead = minute * MINUTE
        arrived = desk.order("/transactions", count=1)["data"] if minute % 10 == 0 else []
        before = spent(desk)
        assert [row["id"] for row in ours.poll()] == [row["id"] for row in arrived]
        assert spent(desk) == before + len(arrived)


def test_a_row_that_is_posted_after_many_polls_is_told(stand: Stand, desk: Desk) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    [pending] = desk.order("/transactions", status="pending")["data"]
    for wait in range(6):
        desk.order("/transactions", count=1, account_id=MAIN_ACCOUNT)
        ours.seconds_ahead += MINUTE
        assert len(ours.poll()) == 1, wait
    for _ in range(4):  # nothing new is seen, so now and then one looks only ahead
        desk.order(f"/transactions/{pending['id']}", duplicated=False)
        ours.seconds_ahead += HOUR
        ours.poll()
    desk.order(f"/transactions/{pending['id']}", status="posted")
    told = []
    for _ in range(2):
        ours.seconds_ahead += MINUTE
        told += [row["id"] for row in ours.poll()]
    assert told == [pending["id"]]
    ours.seconds_ahead += MINUTE
    before = spent(desk)
    assert ours.poll() == []
    assert spent(desk) == before


def test_a_row_posted_while_another_goes_pending_is_told_at_the_same_look(stand: Stand, desk: Desk) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    [first] = desk.order("/transactions", status="pending")["data"]
    desk.order("/transactions", count=11)
    ours.seconds_ahead += MINUTE
    ours.poll()
    desk.order(f"/transactions/{first['id']}", status="posted")
    desk.order("/transactions", status="pending")  # as many are pending as before
    ours.seconds_ahead += MINUTE
    assert [row["id"] for row in ours.poll()] == [first["id"]]


@pytest.mark.parametrize("page_size", [7, 25])
def test_a_burst_over_pages_of_any_size_is_told_at_once(stand: Stand, desk: Desk, page_size: int) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT, "include_pending": True})
    ours.poll()
    desk.order("/settings", page_size=page_size)
    for count in (16, 31):
        arrived = desk.order("/transactions", count=count)["data"]
        ours.seconds_ahead += MINUTE
        before = spent(desk)
        assert [row["id"] for row in ours.poll()] == [row["id"] for row in arrived]
        assert spent(desk) == before + -(-count // page_size)


def test_a_row_that_is_counted_before_it_shows_under_a_lower_id_is_told_once(stand: Stand, desk: Desk) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    ids = [row["id"] for row in desk.order("/transactions", count=3, unseen=1)["data"]]
    ours.seconds_ahead += MINUTE
    assert [row["id"] for row in ours.poll()] == ids
    [late] = [row["id"] for row in desk.order("/transactions", id=str(int(ids[0]) - 1))["data"]]
    told = []
    for _ in range(3):
        ours.seconds_ahead += HOUR
        told += [row["id"] for row in ours.poll()]
    assert told == [late]


def test_one_pending_row_that_never_posts_costs_nothing_more(stand: Stand, desk: Desk) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    [pending] = desk.order("/transactions", status="pending")["data"]
    desk.order("/transactions", count=101)
    ours.seconds_ahead += MINUTE
    ours.poll()
    desk.order("/settings", page_size=20)
    for _ in range(3):
        arrived = desk.order("/transactions", count=2)["data"]
        ours.seconds_ahead += MINUTE
        before = spent(desk)
        assert [row["id"] for row in ours.poll()] == [row["id"] for row in arrived]
        assert spent(desk) == before + 1
    desk.order(f"/transactions/{pending['id']}", status="posted")
    ours.seconds_ahead += MINUTE
    assert [row["id"] for row in ours.poll()] == [pending["id"]]


@pytest.mark.parametrize("page_size", [7, 25])
def test_changes_are_seen_on_every_page_of_any_size(stand: Stand, desk: Desk, page_size: int) -> None:
    desk.order("/settings", page_size=page_size)
    rows = [row for _ in range(4) for row in desk.order("/transactions", status="pending", count=1)["data"]
            + desk.order("/transactions", count=9)["data"]]  # fmt: skip
    ours = flow(stand, "transaction_changed", {"account_id": MAIN_ACCOUNT, "days": 1})
    ours.poll()
    for at in (30, 0, 20, 10):
        desk.order(f"/transactions/{rows[at]['id']}", status="posted")
    told: list[str] = []
    for _ in range(2):
        ours.seconds_ahead += HOUR
        told += [row["_id"] for row in ours.poll()]
    assert sorted(told) == sorted(f"{rows[at]['id']}:posted:posted" for at in (0, 10, 20, 30))


def test_signs_that_cannot_be_read_cost_at_most_four_looks_a_day(stand: Stand, desk: Desk) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    before = spent(desk)
    for hour in range(1, 25):
        desk.order("/faults", kind="malformed", match={"path": "/v2/banking/accounts"}, times=None)
        ours.seconds_ahead = hour * HOUR
        ours.poll()
    assert 0 < spent(desk) - before <= 4


def test_a_clock_that_was_a_day_ahead_stops_nothing(stand: Stand, desk: Desk) -> None:
    ours = flow(stand, "open_item_changed", LEDGER)
    ours.seconds_ahead = DAY
    ours.poll()
    before, ours.seconds_ahead = spent(desk), 0
    ours.poll()
    assert spent(desk) > before
