"""Whatever comes, goes and changes, in whatever pages it is read: each thing is told once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.core.service_facts import payment_moves_forward as moves_forward
from connector.core.service_facts import payment_states
from tests.manifests.triggers.bank_feed import NOW, Feed, Poller, handler, ids, payment, row

pytestmark = pytest.mark.long

RANK, FINAL = payment_states().rank, payment_states().final


@given(
    st.one_of(st.none(), st.integers(5, 40)),
    st.lists(st.tuples(st.integers(0, 29), st.sampled_from(sorted(RANK)), st.booleans()), max_size=80),
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


@given(st.lists(st.lists(st.text(min_size=1, max_size=6), max_size=6), max_size=8))
def test_whatever_comes_and_goes_each_id_fires_once(looks: list[list[str]]) -> None:
    cursor, fired = None, []
    for look in looks:
        items, cursor = handler("banking", "new_bank_account").turn([{"id": id} for id in look], cursor, {}, NOW, "all")
        fired += ids(items)
    assert sorted(fired) == sorted({id for look in looks for id in look})


def test_the_rows_given_in_are_not_changed() -> None:
    given_in = row(9)
    handler("banking", "new_transaction").turn([given_in], "8", {}, NOW, "now")
    assert "_id" not in given_in
