"""A workflow that n8n runs every minute pays only for looks that are due, or that a free sign calls for."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.platforms.n8n.engine.n8n_engine import Flow, Stand
from tests.support.counted_rows import count_too_many
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
DAY, HOUR, MINUTE = 86_400, 3600, 60
LEDGER = {"ledger_connection": ledger_connection_id("nordlicht")}
DAYS = [
    ("open_item_changed", LEDGER, 5),
    ("new_transaction", {"account_id": MAIN_ACCOUNT}, 3),
    ("new_transaction", {"connection_id": HOUSE_BANK}, 3),
]


def spent(sandbox: RunningSandbox) -> int:
    return sum(entry["credits_charged"] or 0 for entry in sandbox.requests())


def flow(stand: Stand, id: str, inputs: dict[str, Any]) -> Flow:
    return Flow(stand, CONNECTOR.trigger(id), "now", **inputs)


@pytest.mark.parametrize(("id", "inputs", "most"), DAYS)
def test_a_day_without_movement_every_minute(
    stand: Stand, sandbox: RunningSandbox, id: str, inputs: dict[str, Any], most: int
) -> None:
    ours = flow(stand, id, inputs)
    for minute in range(DAY // MINUTE):
        ours.seconds_ahead = minute * MINUTE
        assert ours.poll() == []
    assert 0 < spent(sandbox) <= most


def test_what_moves_is_told_within_the_minute(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    for minute in range(1, 30):
        ours.seconds_ahead = minute * MINUTE
        arrived = sandbox.order("/transactions", count=1)["data"] if minute % 10 == 0 else []
        before = spent(sandbox)
        assert [row["id"] for row in ours.poll()] == [row["id"] for row in arrived]
        assert spent(sandbox) == before + len(arrived)


def test_a_row_that_is_posted_after_many_polls_is_told(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    for wait in range(6):
        sandbox.order("/transactions", count=1, account_id=MAIN_ACCOUNT)
        ours.seconds_ahead += MINUTE
        assert len(ours.poll()) == 1, wait
    for _ in range(4):  # nothing new is seen, so now and then one looks only ahead
        sandbox.order(f"/transactions/{pending['id']}", duplicated=False)
        ours.seconds_ahead += HOUR
        ours.poll()
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    told = []
    for _ in range(2):
        ours.seconds_ahead += MINUTE
        told += [row["id"] for row in ours.poll()]
    assert told == [pending["id"]]
    ours.seconds_ahead += MINUTE
    before = spent(sandbox)
    assert ours.poll() == []
    assert spent(sandbox) == before


def test_a_row_posted_while_another_goes_pending_is_told_at_the_same_look(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    [first] = sandbox.order("/transactions", status="pending")["data"]
    sandbox.order("/transactions", count=11)
    ours.seconds_ahead += MINUTE
    ours.poll()
    sandbox.order(f"/transactions/{first['id']}", status="posted")
    sandbox.order("/transactions", status="pending")  # as many are pending as before
    ours.seconds_ahead += MINUTE
    assert [row["id"] for row in ours.poll()] == [first["id"]]


@pytest.mark.parametrize("page_size", [7, 25])
def test_a_burst_over_pages_of_any_size_is_told_at_once(stand: Stand, sandbox: RunningSandbox, page_size: int) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT, "include_pending": True})
    ours.poll()
    sandbox.order("/settings", page_size=page_size)
    for count in (16, 31):
        arrived = sandbox.order("/transactions", count=count)["data"]
        ours.seconds_ahead += MINUTE
        before = spent(sandbox)
        assert [row["id"] for row in ours.poll()] == [row["id"] for row in arrived]
        assert spent(sandbox) == before + -(-count // page_size)


def test_a_row_that_is_counted_before_it_shows_under_a_lower_id_is_told_once(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    ids = [row["id"] for row in sandbox.order("/transactions", count=3, unseen=1)["data"]]
    ours.seconds_ahead += MINUTE
    assert [row["id"] for row in ours.poll()] == ids
    [late] = [row["id"] for row in sandbox.order("/transactions", id=str(int(ids[0]) - 1))["data"]]
    told = []
    for _ in range(3):
        ours.seconds_ahead += HOUR
        told += [row["id"] for row in ours.poll()]
    assert told == [late]


def test_rows_that_stay_missing_are_shown_once_and_stop_nothing(
    stand: Stand, sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_many = count_too_many(monkeypatch)
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    ids = [row["id"] for row in sandbox.order("/transactions", count=3, unseen=2)["data"]]
    too_many[MAIN_ACCOUNT] = 2
    told = hours_of(ours, 12)
    assert told == ids
    [error] = ours.errors
    assert error.startswith("Transactions that the account counts and the list of transactions has not shown: 2.")
    assert "ask the service" in error
    [arrived] = sandbox.order("/transactions", count=1)["data"]
    assert (hours_of(ours, 24), ours.errors) == ([arrived["id"]], [error])
    too_many.clear()
    late = [sandbox.order("/transactions", id=str(int(ids[0]) - number))["data"][0]["id"] for number in (2, 1)]
    assert sorted(hours_of(ours, 60)) == late
    sandbox.order("/transactions", count=1, unseen=1)
    too_many[MAIN_ACCOUNT] = 1
    hours_of(ours, 24)
    counts = [message.partition("not shown: ")[2].partition(".")[0] for message in ours.errors]
    assert counts == ["2", "1"], "what is missing anew is shown anew"


def hours_of(ours: Flow, hours: int) -> list[str]:
    """The ids that fire in so many hours."""
    told: list[str] = []
    for _ in range(hours):
        ours.seconds_ahead += HOUR
        told += [row["id"] for row in ours.poll()]
    return told


def test_one_pending_row_that_never_posts_costs_nothing_more(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    sandbox.order("/transactions", count=101)
    ours.seconds_ahead += MINUTE
    ours.poll()
    sandbox.order("/settings", page_size=20)
    for _ in range(3):
        arrived = sandbox.order("/transactions", count=2)["data"]
        ours.seconds_ahead += MINUTE
        before = spent(sandbox)
        assert [row["id"] for row in ours.poll()] == [row["id"] for row in arrived]
        assert spent(sandbox) == before + 1
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    ours.seconds_ahead += MINUTE
    assert [row["id"] for row in ours.poll()] == [pending["id"]]


@pytest.mark.parametrize("page_size", [7, 25])
def test_changes_are_seen_on_every_page_of_any_size(stand: Stand, sandbox: RunningSandbox, page_size: int) -> None:
    sandbox.order("/settings", page_size=page_size)
    rows = [row for _ in range(4) for row in sandbox.order("/transactions", status="pending", count=1)["data"]
            + sandbox.order("/transactions", count=9)["data"]]  # fmt: skip
    ours = flow(stand, "transaction_changed", {"account_id": MAIN_ACCOUNT, "days": 1})
    ours.poll()
    for at in (30, 0, 20, 10):
        sandbox.order(f"/transactions/{rows[at]['id']}", status="posted")
    told: list[str] = []
    for _ in range(2):
        ours.seconds_ahead += HOUR
        told += [row["_id"] for row in ours.poll()]
    assert sorted(told) == sorted(f"{rows[at]['id']}:posted:posted" for at in (0, 10, 20, 30))


def test_signs_that_cannot_be_read_cost_at_most_four_looks_a_day(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "new_transaction", {"account_id": MAIN_ACCOUNT})
    ours.poll()
    before = spent(sandbox)
    for hour in range(1, 25):
        sandbox.order("/faults", kind="malformed", match={"path": "/v2/banking/accounts"}, times=None)
        ours.seconds_ahead = hour * HOUR
        ours.poll()
    assert 0 < spent(sandbox) - before <= 4


def test_a_clock_that_was_a_day_ahead_stops_nothing(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "open_item_changed", LEDGER)
    ours.seconds_ahead = DAY
    ours.poll()
    before, ours.seconds_ahead = spent(sandbox), 0
    ours.poll()
    assert spent(sandbox) > before
