"""A change of a transaction is told once, while the row is young, and never for a row that merely is new."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from bank_feed import NOW, Feed, Poller, handler, ids, row
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.core.polls.watch import MAX_WATCHED

STRATEGY = handler("banking", "transaction_changed")
ask, turn = STRATEGY.ask, STRATEGY.turn


def watching(*rows: dict[str, Any], page: int | None = None, **inputs: Any) -> tuple[Feed, Poller]:
    feed = Feed(*rows, page=page)
    poller = Poller("transaction_changed", feed, start="now", **inputs)
    assert poller.poll() == []
    return feed, poller


@pytest.mark.parametrize("start", ["now", "all", "since:1"])
def test_a_first_look_only_takes_note(start: str) -> None:
    items, _ = turn([row(1), row(2, status="pending", duplicated=True)], None, {}, NOW, start)
    assert items == []


def test_a_pending_row_that_is_posted_is_told_once() -> None:
    feed, poller = watching(row(1, status="pending"), row(2))
    feed.add(row(1))
    items = poller.poll()
    assert [(item["_id"], item["_change"], item["status"]) for item in items] == [
        ("1:posted:posted", "posted", "posted")
    ]
    assert poller.poll() == []


def test_a_row_that_turns_out_to_be_a_duplicate_is_told_and_so_is_the_way_back() -> None:
    feed, poller = watching(row(1))
    feed.add(row(1, duplicated=True))
    assert ids(poller.poll()) == ["1:duplicated:true"]
    feed.add(row(1))
    assert ids(poller.poll()) == ["1:duplicated:false"]


def test_two_changes_at_once_are_two_items() -> None:
    feed, poller = watching(row(1, status="pending"))
    feed.add(row(1, duplicated=True))
    assert ids(poller.poll()) == ["1:posted:posted", "1:duplicated:true"]


def test_a_status_nobody_described_is_a_change_of_status() -> None:
    feed, poller = watching(row(1, status="pending"))
    feed.add(row(1, status="on hold, maybe~!@+"))
    assert [(item["_change"], item["_id"]) for item in poller.poll()] == [("status", "1:status:on hold, maybe~!@+")]
    assert poller.poll() == []


def test_a_new_row_is_no_change_but_is_watched_from_then_on() -> None:
    feed, poller = watching(row(1))
    feed.add(row(2, status="pending"))
    assert poller.poll() == []
    feed.add(row(2))
    assert ids(poller.poll()) == ["2:posted:posted"]


def test_a_field_that_a_reply_leaves_out_is_no_change() -> None:
    feed, poller = watching(row(1, status="pending", duplicated=True))
    feed.add({"id": "1", "made_on": "2026-05-04"})
    assert poller.poll() == []
    feed.add(row(1, status="pending", duplicated=True))
    assert poller.poll() == []


def test_a_back_dated_late_arrival_is_watched_because_it_came_in_recently() -> None:
    feed, poller = watching(row(1))
    feed.add(row(2, made_on="2025-12-01", status="pending"))
    poller.poll()
    feed.add(row(2, made_on="2025-12-01"))
    assert ids(poller.poll()) == ["2:posted:posted"]


def test_a_posted_row_is_watched_for_the_days_chosen_and_no_longer() -> None:
    feed, poller = watching(row(1), days=3)
    poller.now = NOW + timedelta(days=4)
    poller.poll()
    feed.add(row(1, duplicated=True))
    assert poller.poll() == []


def test_a_change_seen_on_the_day_a_row_grows_old_is_still_told() -> None:
    feed, poller = watching(row(1), days=3)
    poller.now = NOW + timedelta(days=9)
    feed.add(row(1, duplicated=True))
    assert ids(poller.poll()) == ["1:duplicated:true"]


def test_a_pending_row_is_watched_for_thirty_days() -> None:
    feed, poller = watching(row(1, status="pending"), days=3)
    poller.now = NOW + timedelta(days=29)
    poller.poll()
    feed.add(row(1))
    assert ids(poller.poll()) == ["1:posted:posted"]


def test_an_empty_reply_forgets_nothing() -> None:
    feed, poller = watching(row(1, status="pending"))
    before, feed.rows = feed.rows, {}
    poller.poll()
    feed.rows = before | {1: row(1)}
    assert ids(poller.poll()) == ["1:posted:posted"]


def test_it_asks_by_value_date_first_and_from_the_lowest_watched_row_later() -> None:
    assert ask({"days": 14}, None, NOW) == {"from_date": date(2026, 4, 20)}
    assert ask({"days": 14}, "0", NOW) == {"from_date": date(2026, 4, 20)}
    assert ask({"days": 14}, "123~118=p,120", NOW) == {"from_id": "117"}
    assert ask({"days": 14}, "123", NOW) == {"from_id": "123"}


def test_the_number_of_watched_rows_is_bounded_and_the_youngest_are_kept() -> None:
    rows = [row(number) for number in range(1, MAX_WATCHED + 12)]
    _, cursor = turn(rows, None, {}, NOW, "now")
    assert cursor.startswith(f"{MAX_WATCHED + 11}~12,13,")
    assert turn([row(3, duplicated=True)], cursor, {}, NOW, "now")[0] == []


@given(st.integers(5, 45), st.lists(st.tuples(st.integers(1, 40), st.booleans()), max_size=40))
@settings(max_examples=25, deadline=None)
def test_every_change_of_a_watched_row_is_told_once_however_the_list_is_cut(
    page: int, steps: list[tuple[int, bool]]
) -> None:
    feed = Feed(page=page)
    poller = Poller("transaction_changed", feed, start="now")
    told: list[str] = []
    flipped: set[int] = set()

    def settle() -> None:
        for _ in range(60):
            told.extend(ids(poller.poll()))

    for number in range(1, 41):
        feed.add(row(number, status="pending"))
    settle()
    for number, flip in steps:
        if flip and number in feed.rows and number not in flipped:
            flipped.add(number)
            feed.add(row(number))
        else:
            told += ids(poller.poll())
    settle()
    assert sorted(told) == sorted(f"{number}:posted:posted" for number in flipped)
