"""The rate window alone, with time as an argument."""

import msgspec
import pytest

from connector.client.rate_window import VALIDITY, RateWindow, Shown, headroom

WINDOW = 900.0


def used_up(count: int, at: float = 0.0) -> RateWindow:
    """A window in which so many requests were sent and answered."""
    window = RateWindow()
    window.answer(window.take(count, at, WINDOW), count, at, WINDOW)
    return window


def shown(remaining: int, resets_at: float, sent_at: float, limit: int | None = 200, **more: bool) -> Shown:
    return Shown(limit, remaining, resets_at, sent_at, **more)


def free(window: RateWindow, now: float) -> int:
    window.expire(now, WINDOW)
    return window.free(window.limit_at(now, 200))


def test_a_permit_of_which_nothing_is_heard_counts_a_window_from_the_end_of_its_validity():
    window = RateWindow()
    window.take(3, 100.0, WINDOW)
    assert free(window, 100.0 + VALIDITY + WINDOW - 0.1) == 197
    assert free(window, 100.0 + VALIDITY + WINDOW) == 200


def test_an_answered_permit_counts_a_window_from_its_answer():
    window = RateWindow()
    window.answer(window.take(1, 100.0, WINDOW), 1, 130.0, WINDOW)
    assert free(window, 1029.9) == 199
    assert free(window, 1030.0) == 200


def test_a_request_that_a_frozen_process_sends_long_after_its_permit_expired_counts_all_the_same():
    window = RateWindow()
    permit = window.take(1, 0.0, WINDOW)
    assert free(window, 1000.0) == 200
    window.answer(permit, 1, 1000.0, WINDOW)
    assert free(window, 1001.0) == 199


def test_permits_given_back_no_longer_count_and_no_others_do():
    window = RateWindow()
    block = window.take(5, 0.0, WINDOW)
    window.give_back(block, 3)
    assert free(window, 1.0) == 198
    window.give_back(block, 100)
    window.give_back(12345.0, 1)
    assert free(window, 1.0) == 200


def test_entries_are_few_however_many_permits_there_are():
    window = RateWindow()
    for number in range(10_000):
        window.expire(number / 10, WINDOW)
        window.take(1, number / 10, WINDOW)
    assert len(window.entries) <= 910


def test_what_the_service_counted_and_we_did_not_was_sent_by_others():
    window = used_up(10)
    window.observe(shown(150, 600.0, 5.0), 6.0, WINDOW, 200)
    assert window.foreign == 40
    assert free(window, 6.0) == 150
    assert free(window, 600.0) == 190, "the reset frees what others have used"


def test_requests_in_flight_are_not_taken_for_those_of_others():
    window = RateWindow()
    window.take(50, 0.0, WINDOW)
    window.observe(shown(160, 900.0, 0.1), 0.2, WINDOW, 200)
    assert window.foreign == 0


def test_a_late_answer_of_the_same_window_frees_nothing():
    window = RateWindow()
    window.observe(shown(25, 600.0, 0.0), 0.1, WINDOW, 200)
    window.observe(shown(90, 600.4, 0.0), 0.2, WINDOW, 200)
    assert free(window, 0.3) == 25


def test_a_fresher_window_that_the_service_shows_is_believed():
    window = used_up(180)
    window.observe(shown(20, 900.0, 1.0), 2.0, WINDOW, 200)
    assert free(window, 60.0) == 20
    window.observe(shown(199, 1000.0, 100.0), 100.1, WINDOW, 200)
    assert free(window, 100.1) == 199


def test_a_fresher_window_keeps_what_may_not_be_counted_yet():
    window = used_up(150)
    window.take(5, 98.0, WINDOW)
    window.observe(shown(199, 1000.0, 100.0), 100.1, WINDOW, 200)
    assert free(window, 100.1) == 199 - 5


def test_an_answer_from_before_the_requests_we_know_of_is_no_fresher_window():
    window = used_up(150, at=50.0)
    window.observe(shown(199, 950.0, 1.0), 60.0, WINDOW, 200)
    assert free(window, 60.0) == 50


def test_a_sliding_window_that_frees_one_after_the_other_is_followed_without_forgetting():
    window = RateWindow()
    for second in range(150):
        window.answer(window.take(1, float(second), WINDOW), 1, float(second), WINDOW)
    # At 920 the service has freed the first 21, and ours have expired as well.
    window.expire(920.0, WINDOW)
    window.observe(shown(71, 921.0, 919.9), 920.0, WINDOW, 200)
    assert free(window, 920.0) == 71


def test_a_429_blocks_until_an_answer_sent_later_shows_that_requests_are_left():
    window = RateWindow()
    window.block(10.0, 500.0, WINDOW)
    window.observe(shown(100, 900.0, 9.0), 11.0, WINDOW, 200)
    assert window.blocked_until == 500.0
    window.observe(shown(100, 900.0, 12.0), 13.0, WINDOW, 200)
    assert window.blocked_until <= 13.0


def test_a_block_is_at_most_a_window_long():
    window = RateWindow()
    window.block(10.0, 1e6, WINDOW)
    assert window.blocked_until == 910.0


@pytest.mark.parametrize("limit", [0, 1, 49, 10_000_001, 10**9])
def test_an_odd_limit_is_not_believed_and_neither_is_the_rest_of_that_answer(limit):
    window = RateWindow()
    window.observe(shown(0, 900.0, 0.0, limit=limit), 0.1, WINDOW, 200)
    assert free(window, 0.1) == 200


def test_times_that_a_wrong_clock_has_written_are_pulled_back():
    window = used_up(100, at=1e6)
    window.block(1e6, 1e6 + 500, WINDOW)
    window.observe(shown(50, 1e6 + 900, 1e6), 1e6, WINDOW, 200)
    assert free(window, 0.0) < 200
    assert window.blocked_until <= WINDOW
    assert free(window, WINDOW + VALIDITY + 2) == 200


def test_reads_always_keep_a_permit_and_writes_a_tenth():
    assert [headroom(limit) for limit in (1, 2, 10, 50, 200, 1_000_000)] == [0, 1, 1, 5, 20, 100_000]


def test_the_state_survives_being_written_and_read_and_moved_to_another_clock():
    window = used_up(7)
    block = window.take(2, 0.0, WINDOW)
    window.observe(shown(100, 600.0, 0.0), 0.1, WINDOW, 200)
    again = msgspec.json.decode(msgspec.json.encode(window), type=RateWindow)
    assert again == window
    again.give_back(block, 1)
    again.shift(1000.0)
    assert free(again, 1000.1) == 100 + 1
    assert free(again, 1600.1) == 192


def test_a_refusal_with_an_odd_limit_is_over_at_the_reset_that_it_shows():
    window = used_up(30)
    window.observe(shown(170, 890.0, 0.0), 10.0, WINDOW, 200)
    window.observe(Shown(1, None, 25.0, 20.0, refused=True), 20.0, WINDOW, 200)
    window.block(20.0, 25.0, WINDOW)
    assert window.wait(1, 20.0, WINDOW) == 5.0
    assert not window.may_ask(24.9, WINDOW)
    assert window.may_ask(25.0, WINDOW)


def test_a_window_shorter_than_ours_is_asked_at_its_reset_by_one_request():
    window = used_up(200)
    window.observe(shown(0, 60.0, 0.0), 1.0, WINDOW, 200)
    assert window.wait(1, 1.0, WINDOW) == 59.0
    assert window.may_ask(60.0, WINDOW)
    permit = window.take(1, 60.0, WINDOW)
    assert not window.may_ask(60.0, WINDOW)
    window.answer(permit, 1, 60.2, WINDOW)
    window.observe(shown(199, 120.0, 60.0), 60.2, WINDOW, 200)
    assert free(window, 60.2) >= 198


def test_a_reset_that_freed_nothing_lets_no_second_request_ask():
    window = used_up(200)
    window.observe(shown(0, 60.0, 0.0), 1.0, WINDOW, 200)
    window.answer(window.take(1, 70.0, WINDOW), 1, 70.0, WINDOW)
    assert not window.may_ask(80.0, WINDOW)
    assert free(window, 80.0) == -1
