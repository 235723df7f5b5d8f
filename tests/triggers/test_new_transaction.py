"""New transactions fire once each, by id alone; pending ones are waited for and never lost."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from bank_feed import FIRST_UNSAFE, NOW, Feed, Poller, handler, ids, row

from connector.core.errors import InputError

STRATEGY = handler("banking", "new_transaction")
ask, turn, more, check = STRATEGY.ask, STRATEGY.turn, STRATEGY.more, STRATEGY.check


def first(items: list[dict[str, Any]], start: str = "all", **inputs: Any) -> tuple[list[dict[str, Any]], str]:
    return turn(items, None, inputs, NOW, start)


def then(items: list[dict[str, Any]], cursor: str, **inputs: Any) -> tuple[list[dict[str, Any]], str]:
    return turn(items, cursor, inputs, NOW, "now")


def test_a_start_now_fires_nothing_and_remembers_the_newest_id() -> None:
    assert first([row(5), row(7)], "now") == ([], "7")


def test_a_start_with_all_fires_everything() -> None:
    items, cursor = first([row(5), row(7)])
    assert (ids(items), cursor) == (["5", "7"], "7")


def test_a_start_since_an_id_fires_only_what_is_higher() -> None:
    items, cursor = first([row(5), row(7), row(11)], "since:7")
    assert (ids(items), cursor) == (["11"], "11")


def test_a_start_since_an_id_that_nobody_has_reached_stays_there() -> None:
    assert first([row(5)], "since:900") == ([], "900")


def test_an_empty_account_started_now_fires_its_first_transaction() -> None:
    _, cursor = first([], "now")
    assert ids(then([row(1)], cursor)[0]) == ["1"]


def test_a_start_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="now, all or since"):
        first([], "yesterday")


@pytest.mark.parametrize("start", ["since:", "since:abc", "since:-3", "since:1e5"])
def test_a_start_since_something_that_is_no_id_is_refused(start: str) -> None:
    with pytest.raises(ValueError, match="digits"):
        first([], start)


def test_a_plain_id_is_a_cursor_and_is_asked_from() -> None:
    assert ask({}, "90071992547409931", NOW) == {"from_id": "90071992547409931"}
    assert ask({}, None, NOW) == {}


def test_a_row_at_or_below_the_cursor_never_fires_again_even_if_the_server_ignores_from_id() -> None:
    items, cursor = then([row(3), row(4), row(5), row(6)], "5")
    assert (ids(items), cursor) == (["6"], "6")


def test_an_unsorted_reply_is_fired_in_the_order_of_ids() -> None:
    items, cursor = then([row(10), row(9), row(100), row(11)], "8")
    assert (ids(items), cursor) == (["9", "10", "11", "100"], "100")


def test_a_row_that_stands_twice_in_a_reply_fires_once() -> None:
    assert ids(then([row(9), row(9)], "8")[0]) == ["9"]


def test_an_empty_reply_leaves_the_cursor_where_it_is() -> None:
    assert then([], "8") == ([], "8")
    assert then([], "8~5,7") == ([], "8~5,7")


def test_ids_sent_as_numbers_are_understood_and_fired_as_text() -> None:
    items, cursor = then([{**row(1), "id": FIRST_UNSAFE}], "8")
    assert (ids(items), cursor) == ([str(FIRST_UNSAFE)], str(FIRST_UNSAFE))


@pytest.mark.parametrize("odd", [{}, {"id": None}, {"id": "abc"}, {"id": ""}, {"id": 1.5}, {"id": True}, {"id": "-4"}])
def test_a_row_without_a_usable_id_is_passed_over_and_the_others_fire(odd: dict[str, Any]) -> None:
    items, cursor = then([odd, row(9)], "8")
    assert (ids(items), cursor) == (["9"], "9")


def test_a_row_with_nothing_but_an_id_fires() -> None:
    items, _ = then([{"id": "9"}, {"id": "10", "made_on": 4, "created_at": [], "status": {}, "duplicated": "?"}], "8")
    assert ids(items) == ["9", "10"]


def test_fields_that_nobody_described_are_passed_on() -> None:
    items, _ = then([row(9, merchant={"city": "Kiel"})], "8")
    assert items[0]["merchant"] == {"city": "Kiel"}


def test_the_rows_given_in_are_not_changed() -> None:
    given = row(9)
    then([given], "8")
    assert "_id" not in given


def test_a_text_that_is_no_cursor_is_refused() -> None:
    for text in ("", "abc", "-5", "12~", "12~x", "12@", "1 2", "12~3;4"):
        with pytest.raises(ValueError, match="not a cursor"):
            then([], text)


def test_a_pending_row_waits_and_fires_once_when_it_is_posted() -> None:
    feed = Feed(row(117), row(118, status="pending"), row(123))
    poller = Poller("new_transaction", feed)
    assert ids(poller.poll()) == ["117", "123"]
    assert poller.cursor == "123~118"
    assert poller.poll() == []
    feed.add(row(118))
    assert ids(poller.poll()) == ["118"]
    assert poller.asked[-1] == {"from_id": "117"}
    assert poller.cursor == "123"
    assert poller.poll() == []


def test_a_row_pending_when_the_flow_starts_now_fires_when_it_is_posted() -> None:
    feed = Feed(row(1), row(2, status="pending"), row(3))
    poller = Poller("new_transaction", feed, start="now")
    assert poller.poll() == []
    feed.add(row(2))
    assert ids(poller.poll()) == ["2"]


def test_a_pending_row_that_vanished_is_forgotten_once_later_rows_prove_it() -> None:
    feed = Feed(row(1), row(2, status="pending"))
    poller = Poller("new_transaction", feed)
    poller.poll()
    del feed.rows[2]
    poller.poll()
    assert poller.cursor is not None
    assert poller.cursor.startswith("2~2"), "an empty page proves nothing"
    feed.add(row(3))
    assert ids(poller.poll()) == ["3"]
    assert poller.cursor == "3"


def test_a_row_pending_for_more_than_thirty_days_is_given_up() -> None:
    feed = Feed(row(1, status="pending"), row(2))
    poller = Poller("new_transaction", feed)
    poller.poll()
    poller.now = NOW + timedelta(days=30)
    poller.poll()
    assert poller.cursor is not None
    assert poller.cursor.startswith("2~1")
    poller.now = NOW + timedelta(days=31)
    poller.poll()
    assert poller.cursor == "2"


def test_with_pending_ones_a_row_fires_at_first_sight_and_not_again_when_posted() -> None:
    feed = Feed(row(1, status="pending"))
    poller = Poller("new_transaction", feed, include_pending=True)
    assert ids(poller.poll()) == ["1"]
    feed.add(row(1))
    assert poller.poll() == []
    assert poller.cursor == "1"


def test_asking_for_pending_ones_later_fires_those_that_were_waited_for() -> None:
    items, cursor = then([row(118, status="pending")], "123~118", include_pending=True)
    assert (ids(items), cursor) == (["118"], "123")


def test_a_status_nobody_described_counts_as_posted() -> None:
    assert ids(then([row(9, status="booked")], "8")[0]) == ["9"]


def test_duplicates_do_not_fire_unless_asked_for() -> None:
    assert then([row(9, duplicated=True)], "8") == ([], "9")
    assert ids(then([row(9, duplicated=True)], "8", include_duplicates=True)[0]) == ["9"]


def test_a_pending_row_that_is_posted_as_a_duplicate_is_dropped() -> None:
    assert then([row(118, duplicated=True)], "123~118") == ([], "123")


@pytest.mark.parametrize(
    ("made_on", "created_at", "late"),
    [
        ("2026-05-04", "2026-05-04T06:00:00+00:00", False),
        ("2026-05-02", "2026-05-04T21:59:00+00:00", False),
        ("2026-05-02", "2026-05-04T22:00:00+00:00", True),
        ("2026-05-02", "2026-05-05T01:00:00+04:00", False),
        ("2026-01-31", "2026-05-04T06:00:00+00:00", True),
        ("2026-06-01", "2026-05-04T06:00:00+00:00", False),
        (None, "2026-05-04T06:00:00+00:00", False),
        ("2026-01-31", "soon", False),
        ("soon", "2026-05-04T06:00:00+00:00", False),
    ],
)
def test_late_is_more_than_two_days_behind_the_value_date_on_the_clocks_of_berlin(
    made_on: Any, created_at: Any, late: bool
) -> None:
    items, _ = then([row(9, made_on=made_on, created_at=created_at)], "8")
    assert items[0]["_late"] is late


def test_a_start_now_passes_over_a_history_that_comes_in_pages() -> None:
    feed = Feed(*(row(number) for number in range(1, 96)), page=30)
    poller = Poller("new_transaction", feed, start="now", most_pages=1)
    assert [poller.poll() for _ in range(4)] == [[], [], [], []]
    assert poller.cursor == "95"
    feed.add(row(96))
    assert ids(poller.poll()) == ["96"]


def test_passing_over_history_ends_when_the_server_ignores_from_id() -> None:
    page = [row(number) for number in range(1, 31)]
    _, cursor = first(page, "now")
    assert cursor == "30!"
    assert then(page, cursor) == ([], "30")


def test_only_a_round_and_long_page_looks_cut_off() -> None:
    lengths = [length for length in range(0, 61) if more([row(1)] * length, {})]
    assert lengths == [20, 30, 40, 50, 60]


def test_a_poll_that_names_neither_bank_connection_nor_account_is_refused() -> None:
    check({"account_id": "8101"})
    check({"connection_id": "7100"})
    with pytest.raises(InputError) as caught:
        check({"include_pending": True})
    assert (caught.value.reason, caught.value.field) == ("any_of.missing", "connection_id")
