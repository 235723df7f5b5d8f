"""Whatever grows, in whatever pages it is read: every transaction fires exactly once, and no cursor goes back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.core.polls.cursor import Cursor
from tests.manifests.triggers.bank_feed import FIRST_UNSAFE, NOW, Feed, Poller, handler, ids, row

pytestmark = pytest.mark.long

turn = handler("banking", "new_transaction").turn

BASES = st.sampled_from([1, 10**6, FIRST_UNSAFE - 5, 10**30])
PAGES = st.one_of(st.none(), st.integers(1, 60))
ENOUGH = 400
"""Polls that surely read the rest, even a row at a time with pauses for waiting rows."""


def settle(poller: Poller) -> list[str]:
    """Polls until nothing more can come."""
    fired: list[str] = []
    for _ in range(ENOUGH):
        fired += ids(poller.poll())
    return fired


@given(BASES, st.lists(st.integers(0, 30), min_size=1, max_size=8), PAGES, st.data())
@settings(max_examples=60, deadline=None)
def test_a_growing_ledger_fires_each_transaction_once_and_in_order(
    base: int, bursts: list[int], page: int | None, data: st.DataObject
) -> None:
    feed = Feed(page=page)
    poller = Poller("new_transaction", feed, most_pages=data.draw(st.integers(1, 5)))
    fired: list[str] = []
    number = base
    for burst in bursts:
        for _ in range(burst):
            feed.add(row(number))
            number += data.draw(st.integers(1, 3))
        fired += ids(poller.poll())
    for _ in range(sum(bursts)):
        fired += ids(poller.poll())
    assert fired == [str(one) for one in sorted(feed.rows)]


@given(
    BASES,
    PAGES,
    st.lists(st.tuples(st.sampled_from(["posted", "pending", "flip", "poll"]), st.integers(0, 99)), max_size=60),
)
@settings(max_examples=60, deadline=None)
def test_with_pending_rows_that_are_posted_later_each_fires_once_and_the_cursor_never_goes_back(
    base: int, page: int | None, steps: list[tuple[str, int]]
) -> None:
    feed = Feed(page=page)
    poller = Poller("new_transaction", feed)
    fired: list[str] = []
    number, pending = base, []
    highest = 0
    for step, choice in steps:
        if step in ("posted", "pending"):
            feed.add(row(number, status=step))
            if step == "pending":
                pending.append(number)
            number += 1
        elif step == "flip" and pending:
            feed.add(row(pending.pop(choice % len(pending))))
        else:
            fired += ids(poller.poll())
            after = Cursor.read(str(poller.cursor)).after
            assert after >= highest
            highest = after
    for one in pending:
        feed.add(row(one))
    fired += settle(poller)
    assert sorted(map(int, fired)) == sorted(feed.rows)
    if feed.rows:
        assert poller.cursor == str(max(feed.rows)), "nothing is pending, so the cursor is plain"


@given(st.lists(st.integers(1, 10**40), unique=True, min_size=1, max_size=30))
def test_the_order_of_a_reply_does_not_matter(numbers: list[int]) -> None:
    items, cursor = turn([row(one) for one in numbers], None, {}, NOW, "all")
    assert ids(items) == [str(one) for one in sorted(numbers)]
    assert cursor == str(max(numbers))


NOTES = st.text(max_size=12)


@given(st.integers(0, 10**40), st.dictionaries(st.integers(0, 10**20), NOTES), st.none() | st.integers(0, 10**40))
def test_a_cursor_reads_back_as_it_was_written(after: int, waiting: dict[int, str], position: int | None) -> None:
    cursor = Cursor(after, waiting, position, quiet=2, skipping=True)
    assert Cursor.read(str(cursor)) == cursor
