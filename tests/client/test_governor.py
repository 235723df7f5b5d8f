"""The governor alone, with time as an argument."""

from datetime import UTC, datetime

import pytest

from connector.client.governor import COLD_START, Governor, Permit
from connector.client.rate_window import RateSnapshot, seconds_until

TODAY = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


def warm(**more) -> Governor:
    governor = Governor(**more)
    governor.update_from_headers({}, 0.0, TODAY)
    return governor


def acquire(governor: Governor, permit: Permit, now: float) -> float:
    """Acquire a permit as the client does; returns how long it would have to wait instead, if it has to."""
    while (wait := governor.try_acquire(permit, now)) > 0 and governor.ask(now, 1.0) is not None:
        pass
    return wait


def send(governor: Governor, now: float, *, writes: bool = False) -> float:
    """One request that is answered at once; returns how long it would have to wait instead, if it has to."""
    permit = governor.enqueue(writes=writes)
    wait = acquire(governor, permit, now)
    governor.release(permit, now)
    return wait


def snapshot(governor: Governor, now: float) -> RateSnapshot:
    """What the window shows once it knows everything."""
    governor.flush(now, 1.0)
    return governor.snapshot(now)


def test_reads_stop_at_the_headroom_and_writes_go_on_to_the_limit():
    governor = warm()
    assert [send(governor, 1.0) for _ in range(180)] == [0.0] * 180
    assert send(governor, 1.0) > 0
    assert [send(governor, 1.0, writes=True) for _ in range(20)] == [0.0] * 20
    assert send(governor, 1.0, writes=True) > 0


@pytest.mark.conforms("rate.api")
def test_a_permit_comes_back_one_window_after_the_answer():
    governor = warm(limit=10)
    permit = governor.enqueue(writes=True)
    assert acquire(governor, permit, 100.0) == 0
    governor.release(permit, 130.0)  # the answer took 30 seconds: the service may have counted it at any of them
    assert [send(governor, 131.0, writes=True) for _ in range(9)] == [0.0] * 9
    assert send(governor, 131.0, writes=True) == pytest.approx(130 + 900 - 131)
    assert send(governor, 1030.1, writes=True) == 0


def test_a_request_that_never_reached_the_service_does_not_count():
    governor = warm(limit=10)
    for _ in range(50):
        permit = governor.enqueue(writes=True)
        assert acquire(governor, permit, 1.0) == 0
        governor.release(permit, 1.0, counted=False)
    assert snapshot(governor, 1.0).used == 0


@pytest.mark.conforms("rate.headers")
def test_the_headers_reveal_that_somebody_else_uses_the_key():
    governor = warm()
    governor.update_from_headers(
        {"ratelimit-limit": "200", "ratelimit-remaining": "25", "ratelimit-reset": "600"}, 0.0, TODAY
    )
    assert [send(governor, 1.0) for _ in range(5)] == [0.0] * 5
    assert send(governor, 1.0) == pytest.approx(599.0)
    assert send(governor, 1.0, writes=True) == 0
    assert send(governor, 601.0) == 0


def test_a_late_answer_with_an_older_count_gives_nothing_back():
    governor = warm()
    governor.update_from_headers({"ratelimit-remaining": "25", "ratelimit-reset": "600"}, 0.0, TODAY)
    governor.update_from_headers({"ratelimit-remaining": "90", "ratelimit-reset": "600"}, 0.1, TODAY)
    assert snapshot(governor, 0.2).remaining == 25


def test_a_smaller_limit_is_believed():
    governor = warm()
    governor.update_from_headers({"ratelimit-limit": "60"}, 0.0, TODAY)
    assert sum(send(governor, 1.0) == 0 for _ in range(100)) == 54


@pytest.mark.parametrize("odd", ["0", "1", "49", "10000001", "1000000000", "-3"])
def test_an_odd_limit_does_not_stop_reads(odd):
    governor = warm()
    governor.update_from_headers(
        {"ratelimit-limit": odd, "ratelimit-remaining": "0", "ratelimit-reset": "900"}, 0.0, TODAY
    )
    assert snapshot(governor, 0.5).limit == 200
    assert sum(send(governor, 1.0) == 0 for _ in range(300)) == 180


def test_a_low_limit_is_believed_after_a_429_until_it_is_no_longer_confirmed():
    governor = warm()
    governor.update_from_headers({"ratelimit-limit": "20"}, 0.0, TODAY, refused=True)
    governor.block(5.0, 0.0)
    assert sum(send(governor, 6.0) == 0 for _ in range(50)) == 18
    governor.update_from_headers({"ratelimit-limit": "200"}, 7.0, TODAY)
    assert snapshot(governor, 7.0).limit == 200
    governor.update_from_headers({"ratelimit-limit": "1"}, 8.0, TODAY)
    assert snapshot(governor, 8.0).limit == 1
    assert send(governor, 920.0) == 0, "even then one read is left"
    assert snapshot(governor, 8.0 + 4 * 900).limit == 200


@pytest.mark.conforms("rate.headers")
def test_a_429_stops_everybody_until_it_is_over():
    governor = warm()
    governor.block(60.0, 0.0)
    assert send(governor, 10.0, writes=True) == pytest.approx(50.0)
    assert send(governor, 60.1, writes=True) == 0


def test_one_429_with_a_near_reset_is_waited_for_no_longer_than_that():
    governor = warm()
    assert [send(governor, 1.0) for _ in range(30)] == [0.0] * 30
    refusal = {"ratelimit-limit": "1", "ratelimit-reset": "5"}
    governor.update_from_headers(refusal, 20.0, TODAY, sent_at=20.0, refused=True)
    governor.block(5.0, 20.0)
    assert send(governor, 24.0) == pytest.approx(1)
    assert send(governor, 25.1) == 0
    fresh = {"ratelimit-limit": "200", "ratelimit-remaining": "199", "ratelimit-reset": "900"}
    governor.update_from_headers(fresh, 25.2, TODAY, sent_at=25.1)
    assert [send(governor, 26.0) for _ in range(50)] == [0.0] * 50


def test_waiting_writes_go_before_waiting_reads_and_the_earlier_before_the_later():
    governor = warm(limit=10)
    for _ in range(9):
        assert send(governor, 0.0) == 0
    assert send(governor, 0.5, writes=True) == 0
    first, second = governor.enqueue(writes=False), governor.enqueue(writes=False)
    write = governor.enqueue(writes=True)
    # At 900 nine permits come back, one of which is held back for writes.
    waits = {name: acquire(governor, permit, 1.0) for name, permit in [("w", write), ("1", first), ("2", second)]}
    assert waits["w"] <= waits["1"] <= waits["2"]
    for permit in (write, second, first):
        assert acquire(governor, permit, 900.1) == 0


def test_a_caller_that_gives_up_leaves_the_queue():
    governor = warm(limit=10)
    for _ in range(9):
        send(governor, 0.0)
    impatient, patient = governor.enqueue(writes=False), governor.enqueue(writes=False)
    assert acquire(governor, impatient, 1.0) > 0
    governor.release(impatient, 1.0)
    assert acquire(governor, patient, 900.1) == 0


def test_a_cold_start_feels_its_way_until_the_first_answer():
    governor = Governor()
    permits = [governor.enqueue(writes=False) for _ in range(50)]
    assert sum(acquire(governor, permit, 0.0) == 0 for permit in permits) == COLD_START
    governor.release(permits[0], 0.1)
    governor.update_from_headers({"ratelimit-remaining": "24", "ratelimit-reset": "60"}, 0.1, TODAY)
    assert sum(acquire(governor, permit, 0.2) == 0 for permit in permits[COLD_START:]) == 4


def test_a_slow_first_call_does_not_hold_up_the_others():
    governor = Governor()
    permits = [governor.enqueue(writes=False) for _ in range(20)]
    assert sum(acquire(governor, permit, 0.0) == 0 for permit in permits) == COLD_START
    assert all(acquire(governor, permit, 1.5) == 0 for permit in permits[COLD_START:])


@pytest.mark.conforms("rate.headers")
@pytest.mark.parametrize(
    ("text", "date", "seconds"),
    [
        ("600", None, 600),
        ("0", None, 0),
        (str(int(TODAY.timestamp()) + 600), None, 600),
        (str((int(TODAY.timestamp()) + 600) * 1000), None, 600),
        ("Sun, 15 Nov 2026 12:10:00 GMT", None, 600),
        ("2026-11-15T12:10:00Z", None, 600),
        # Our clock is an hour behind the service's: its own Date tells.
        (str(int(TODAY.timestamp()) + 3600 + 600), "Sun, 15 Nov 2026 13:00:00 GMT", 600),
        # A Date that makes no sense of it is passed over.
        (str(int(TODAY.timestamp()) + 600), "Thu, 01 Jan 1970 00:00:00 GMT", 600),
        (str(int(TODAY.timestamp()) - 5), None, 0),
        ("99999", None, 900),
    ],
)
def test_a_reset_is_understood_as_seconds_as_a_timestamp_and_as_a_date(text, date, seconds):
    assert seconds_until(text, TODAY, date) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "-5", "1e30"])
def test_a_reset_that_says_nothing_is_passed_over(text):
    assert seconds_until(text, TODAY) is None
