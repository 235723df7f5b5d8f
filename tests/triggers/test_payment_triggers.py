"""Payments: each is told once when it is new, and once for every later status, never for an earlier one."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise, permutations
from typing import Any

import pytest
from bank_feed import NOW, Feed, Poller, handler, ids, payment
from fitting import known_values
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import Connector
from connector.core.errors import BadReply
from connector.core.polls.page import Page
from connector.core.states import payment_moves_forward as moves_forward
from connector.core.states import payment_states
from connector.runtime.poll import process_page
from connector.runtime.result import Credits

RANK, FINAL = payment_states().rank, payment_states().final

WAY = ["initiated", "initiated_info_required", "authorizing", "authorized", "processing", "executed"]


def test_every_described_status_has_a_rank() -> None:
    assert set(RANK) == set(known_values("Payment", "status"))


def test_only_settled_failed_and_rejected_are_final() -> None:
    assert {"settled", "failed", "rejected"} == FINAL


def test_statuses_move_forward_only() -> None:
    for earlier, later in pairwise(WAY):
        assert moves_forward(earlier, later)
        assert not moves_forward(later, earlier)
    for status in WAY:
        assert not moves_forward(status, status)
        for end in FINAL:
            assert moves_forward(status, end)
            assert not moves_forward(end, status)


def test_nothing_follows_a_final_status() -> None:
    for one, other in permutations([*FINAL, "something new"], 2):
        assert moves_forward(one, other) == (one == "something new")


def test_a_status_nobody_described_is_news_and_blocks_nothing() -> None:
    assert moves_forward("processing", "on_hold")
    assert moves_forward("on_hold", "processing")
    assert moves_forward("on_hold", "settled")
    assert moves_forward(None, "on_hold")
    assert not moves_forward("on_hold", "on_hold")


def test_a_new_payment_fires_once_in_the_order_of_ids() -> None:
    feed = Feed(payment(9), payment(10))
    poller = Poller("new_payment", feed)
    assert ids(poller.poll()) == ["9", "10"]
    feed.add(payment(10, "settled"), payment(11))
    assert ids(poller.poll()) == ["11"]
    assert poller.asked[-1] == {"from_id": "10"}
    assert poller.cursor == "11"


@pytest.mark.parametrize(("start", "fired"), [("now", []), ("all", ["9", "10"]), ("since:9", ["10"])])
def test_a_first_look_at_payments_follows_the_start(start: str, fired: list[str]) -> None:
    assert ids(Poller("new_payment", Feed(payment(9), payment(10)), start=start).poll()) == fired


def test_a_history_of_payments_in_pages_is_passed_over() -> None:
    feed = Feed(*map(payment, range(1, 51)), page=20)
    poller = Poller("new_payment", feed, start="now", most_pages=1)
    assert [poller.poll() for _ in range(3)] == [[], [], []]
    feed.add(payment(51))
    assert ids(poller.poll()) == ["51"]


def test_each_later_status_of_a_payment_fires_once() -> None:
    feed = Feed(payment(5))
    poller = Poller("payment_status_changed", feed, start="now")
    assert poller.poll() == []
    fired = []
    for status in [*WAY[1:], "settled"]:
        feed.add(payment(5, status))
        fired += [(item["_id"], item["_previous_status"]) for item in [*poller.poll(), *poller.poll()]]
    assert fired == [(f"5:{new}", old) for old, new in zip(WAY, [*WAY[1:], "settled"], strict=True)]
    assert poller.cursor == "5", "a final payment is no longer watched"


def test_a_payment_first_seen_settled_fires_as_settled() -> None:
    poller = Poller("payment_status_changed", Feed(payment(5)), start="now")
    poller.poll()
    poller.feed.add(payment(6, "settled"))
    assert ids(poller.poll()) == ["6:settled"]


def test_executed_is_still_watched_and_may_fail() -> None:
    feed = Feed(payment(5, "executed"))
    poller = Poller("payment_status_changed", feed)
    assert ids(poller.poll()) == ["5:executed"]
    feed.add(payment(5, "failed"))
    assert ids(poller.poll()) == ["5:failed"]


def test_a_list_behind_the_times_fires_nothing_and_forgets_nothing() -> None:
    feed = Feed(payment(5, "processing"))
    poller = Poller("payment_status_changed", feed, start="now")
    poller.poll()
    feed.add(payment(5, "authorizing"))
    assert poller.poll() == []
    feed.add(payment(5, "processing"))
    assert poller.poll() == []


def test_it_asks_from_the_lowest_payment_that_is_not_final() -> None:
    feed = Feed(payment(5, "settled"), payment(6), payment(7, "failed"), payment(8))
    poller = Poller("payment_status_changed", feed, start="now")
    poller.poll()
    poller.poll()
    assert poller.asked == [{}, {"from_id": "5"}]


def test_only_the_status_asked_for_fires_and_the_others_are_still_followed() -> None:
    feed = Feed(payment(5))
    poller = Poller("payment_status_changed", feed, status="settled")
    assert poller.poll() == []
    feed.add(payment(5, "processing"))
    assert poller.poll() == []
    feed.add(payment(5, "settled"))
    assert ids(poller.poll()) == ["5:settled"]


@pytest.mark.parametrize(
    "odd", [{"id": "6"}, {"id": "6", "status": None}, {"id": "6", "status": []}, {"status": "settled"}]
)
def test_an_odd_payment_is_passed_over(odd: dict[str, Any]) -> None:
    turn = handler("banking", "payment_status_changed").turn
    items, _ = turn([odd, payment(7, "settled")], "5", {}, NOW, "now")
    assert ids(items) == ["7:settled"]


@given(
    st.one_of(st.none(), st.integers(5, 40)),
    st.lists(st.tuples(st.integers(0, 29), st.sampled_from([*WAY, *sorted(FINAL)]), st.booleans()), max_size=80),
)
@settings(max_examples=25, deadline=None)
def test_the_last_status_of_every_payment_is_told_once_and_ranks_only_rise(
    page: int | None, steps: list[tuple[int, str, bool]]
) -> None:
    feed = Feed(page=page)
    poller = Poller("payment_status_changed", feed)
    told: list[tuple[str, str]] = []
    now: dict[int, str] = {}
    for number in range(1, 31):
        now[number] = "initiated"
        feed.add(payment(number))
    for place, status, look in steps:
        number = place + 1
        if moves_forward(now[number], status):
            now[number] = status
            feed.add(payment(number, status))
        if look:
            told += [(item["id"], item["status"]) for item in poller.poll()]
    for _ in range(50):
        told += [(item["id"], item["status"]) for item in poller.poll()]
    assert len(set(told)) == len(told)
    for number, status in now.items():
        mine = [one for id, one in told if id == str(number)]
        assert mine[-1] == status
        assert [RANK[one] for one in mine] == sorted(RANK[one] for one in mine)


@pytest.mark.parametrize("trigger", ["new_payment", "payment_status_changed"])
def test_ids_that_are_no_numbers_are_told_and_never_passed_over_in_silence(trigger: str) -> None:
    found = [{"id": "pay_8f3a", "status": "settled"}, {"id": None}]
    manifest = Connector().trigger(trigger)

    def read(*rows: dict[str, Any]) -> Any:
        return process_page(manifest, Page(list(rows)), {}, None, "all", NOW, Credits(Decimal(0), None))

    with pytest.raises(BadReply) as caught:
        read(*found)
    assert "no numbers" in caught.value.message.en
    assert read(*found, {"id": "7"}).cursor.startswith("7")
