"""Governors of several processes on one shared window, with time as an argument."""

from concurrent.futures import Future
from datetime import UTC, datetime

from connector.client.governor import ANSWER_SECONDS, RECHECK_SECONDS, RETRY_SECONDS, Governor
from connector.client.permits import MAX_BLOCK, Granted, Request, serve
from connector.client.rate_window import VALIDITY, WINDOW, RateWindow

TODAY = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


class InMemory:
    """A shared window whose clock is ahead of the processes'. It can break, or leave questions open."""

    AHEAD = 5000.0

    def __init__(self) -> None:
        self.window = RateWindow()
        self.asked: list[Request] = []
        self.broken = False
        self.silent = False
        self.open: list[tuple[Request, Future[Granted]]] = []

    def exchange(self, scope: str, request: Request, speed: float) -> Future[Granted]:
        self.asked.append(request)
        future: Future[Granted] = Future()
        if self.broken:
            future.set_exception(OSError("gone"))
        elif self.silent:
            self.open.append((request, future))
        else:
            self.answer(request, future)
        return future

    def answer(self, request: Request, future: Future[Granted]) -> None:
        granted = serve(self.window, request, request.now + self.AHEAD)
        copy = RateWindow(**{name: getattr(self.window, name) for name in self.window.__struct_fields__})
        copy.entries = [type(one)(one.until, one.unanswered, one.answered) for one in self.window.entries]
        future.set_result(Granted(granted.permits, granted.for_writes, granted.entry, granted.now, copy))

    def free(self, now: float) -> int:
        self.window.expire(now + self.AHEAD, WINDOW)
        return self.window.free(200)


def process(shared: InMemory) -> Governor:
    governor = Governor()
    governor.attach(shared, "key")
    governor.update_from_headers({}, 0.0, TODAY)  # past its cold start
    return governor


def acquire(governor: Governor, now: float, *, writes: bool = False):
    """Acquire a permit as the client does; None when it would have to wait."""
    permit = governor.enqueue(writes=writes)
    while governor.try_acquire(permit, now) > 0:
        asked = governor.ask(now, 1.0)
        if (asked is None and governor.try_acquire(permit, now) > 0) or (asked and not asked.done()):
            governor.release(permit, now)
            return None
        if permit.sent:
            break
    governor.ask_ahead(now, 1.0)
    return permit


def send(governor: Governor, now: float, *, writes: bool = False) -> bool:
    permit = acquire(governor, now, writes=writes)
    if permit is not None:
        governor.release(permit, now)
    return permit is not None


def test_two_processes_together_stay_under_the_limit_and_leave_the_headroom_to_writes():
    shared = InMemory()
    processes = [process(shared), process(shared)]
    sent = sum(send(processes[number % 2], 1.0 + number / 1000) for number in range(400))
    assert 180 - MAX_BLOCK <= sent <= 180
    assert sum(send(processes[number % 2], 2.0, writes=True) for number in range(40)) == 200 - sent
    assert not send(processes[0], 3.0)


def test_permits_come_in_blocks_of_at_most_five_and_most_calls_ask_nobody():
    shared = InMemory()
    governor = process(shared)
    for number in range(100):
        assert send(governor, 1.0 + number / 100)
    assert max(one.permits + one.for_writes for one in shared.asked) == MAX_BLOCK
    assert len(shared.asked) <= 100 / MAX_BLOCK + 3


def test_a_single_call_takes_a_single_permit():
    shared = InMemory()
    assert send(process(shared), 1.0)
    assert [(one.permits, one.for_writes) for one in shared.asked] == [(1, 0)]
    assert send(process(shared), 1.0, writes=True)
    assert shared.asked[-1].for_writes == 1
    assert shared.free(1.0) == 198


def test_unused_permits_expire_and_are_given_back_with_the_next_question():
    shared = InMemory()
    governor = process(shared)
    for number in range(8):
        assert send(governor, 1.0 + number / 100)
    assert shared.free(1.1) < 192
    assert send(governor, 1.2 + VALIDITY + 1)
    assert shared.free(1.2 + VALIDITY + 1) == 200 - 9


def test_a_permit_is_not_used_after_its_validity():
    shared = InMemory()
    governor = process(shared)
    for number in range(8):
        assert send(governor, 1.0 + number / 100)
    asked = len(shared.asked)
    assert send(governor, 1.2 + VALIDITY)
    assert len(shared.asked) == asked + 1


def test_flushing_gives_back_what_is_left_and_tells_the_news():
    shared = InMemory()
    governor = process(shared)
    for number in range(8):
        assert send(governor, 1.0 + number / 100)
    governor.flush(1.2, 1.0)
    assert shared.free(1.3) == 192
    assert governor.flush(1.4, 1.0) is None


def test_the_permits_of_a_process_that_died_count_a_window_longer_than_they_were_valid():
    shared = InMemory()
    dead = process(shared)
    for number in range(5):
        acquire(dead, 1.0 + number / 100)
    held = 200 - shared.free(1.1)
    assert held > 5
    del dead
    assert shared.free(1.0 + WINDOW) == 200 - held
    assert shared.free(1.1 + WINDOW + VALIDITY + 1) == 200


def test_a_429_to_one_process_stops_the_other():
    shared = InMemory()
    one, other = process(shared), process(shared)
    assert send(one, 1.0)
    one.block(60.0, 1.0)
    assert not send(one, 1.1)
    assert not send(other, 1.2, writes=True)
    assert other.snapshot(1.3).remaining == 0
    assert send(other, 62.0, writes=True)


def test_at_the_reset_that_the_service_has_shown_one_request_of_all_processes_asks():
    shared = InMemory()
    one, two = process(shared), process(shared)
    while send(one, 1.0, writes=True):
        pass
    used_up = {"ratelimit-limit": "200", "ratelimit-remaining": "0", "ratelimit-reset": "60"}
    one.update_from_headers(used_up, 1.5, TODAY, sent_at=1.0)
    assert not send(one, 3.0, writes=True)
    assert not send(two, 40.0)
    assert send(two, 62.0)
    assert not send(one, 63.0, writes=True)


def test_a_limit_that_one_process_learns_holds_for_the_other():
    shared = InMemory()
    one, other = process(shared), process(shared)
    assert send(one, 1.0)
    one.update_from_headers({"ratelimit-limit": "100"}, 1.0, TODAY)
    one.flush(1.1, 1.0)
    assert send(other, 1.2)
    assert other.snapshot(1.3).limit == 100


def test_a_fresher_window_that_a_payment_brings_to_light_lets_the_reads_of_all_go_on():
    shared = InMemory()
    one, other = process(shared), process(shared)
    headers = {"ratelimit-limit": "200", "ratelimit-reset": "890"}
    while send(one, 10.0):
        pass
    one.update_from_headers({**headers, "ratelimit-remaining": "20"}, 10.0, TODAY, sent_at=10.0)
    assert not send(other, 100.0)
    payment = acquire(one, 200.0, writes=True)
    one.release(payment, 200.1)
    headers = {"ratelimit-limit": "200", "ratelimit-reset": "900", "ratelimit-remaining": "199"}
    one.update_from_headers(headers, 200.1, TODAY, sent_at=200.0)
    one.flush(200.2, 1.0)
    assert send(other, 200.3 + RECHECK_SECONDS)
    assert send(one, 200.3 + RECHECK_SECONDS)


def test_a_write_goes_before_reads_that_wait_and_uses_the_headroom():
    shared = InMemory()
    governor = process(shared)
    while send(governor, 1.0):
        pass
    reads = [governor.enqueue(writes=False) for _ in range(10)]
    assert all(governor.try_acquire(read, 2.0) > 0 for read in reads)
    assert send(governor, 2.0, writes=True)


def test_a_refused_read_is_told_how_long_and_asks_again_after_a_moment_only():
    shared = InMemory()
    governor = process(shared)
    while send(governor, 1.0):
        pass
    asked = len(shared.asked)
    permit = governor.enqueue(writes=False)
    assert governor.try_acquire(permit, 1.1) > WINDOW / 2
    assert governor.ask(1.1, 1.0) is None
    assert len(shared.asked) == asked
    assert governor.ask(1.1 + RECHECK_SECONDS, 1.0) is not None


def test_a_broken_window_stops_nobody_and_gets_told_later():
    shared = InMemory()
    shared.broken = True
    governor = process(shared)
    sent = sum(send(governor, 1.0 + number / 1000) for number in range(200))
    assert sent == 45, "a quarter of the limit, less a tenth for writes"
    asked = len(shared.asked)
    assert asked == 1, "nobody asks a broken window for every call"
    shared.broken = False
    later = 1.0 + RETRY_SECONDS + 1
    send(governor, later)
    assert send(governor, later + 0.1)
    assert 200 - shared.free(later + 0.1) >= sent


def test_a_window_that_keeps_silent_holds_up_nobody_for_long():
    shared = InMemory()
    governor = process(shared)
    assert send(governor, 1.0)
    shared.silent = True
    assert acquire(governor, 2.0) is None
    assert send(governor, 2.0 + ANSWER_SECONDS)
    assert send(governor, 2.1 + ANSWER_SECONDS)
    shared.answer(*shared.open[0])
    shared.silent = False
    assert send(governor, 3.0 + ANSWER_SECONDS)
    governor.flush(3.1 + ANSWER_SECONDS, 1.0)
    assert shared.free(3.2 + ANSWER_SECONDS) == 196


def test_a_window_that_is_forgotten_in_this_process_is_remembered_by_the_shared_one():
    shared = InMemory()
    forgotten = process(shared)
    for number in range(100):
        assert send(forgotten, 1.0 + number / 100)
    forgotten.flush(2.0, 1.0)
    assert sum(send(process(shared), 3.0) for _ in range(100)) == 80


def test_what_was_sent_before_the_window_was_shared_is_counted_in_it():
    governor = Governor()
    governor.update_from_headers({}, 0.0, TODAY)
    assert all(send(governor, 1.0) for _ in range(30))
    shared = InMemory()
    governor.attach(shared, "key")
    assert send(governor, 2.0)
    assert shared.free(2.0) == 169


def test_a_request_that_never_left_costs_nothing():
    shared = InMemory()
    governor = process(shared)
    permit = acquire(governor, 1.0)
    governor.release(permit, 1.1, counted=False)
    assert send(governor, 1.2)
    assert len(shared.asked) == 1, "the permit is used for the next"
    assert governor.snapshot(1.3).used == 1


def test_a_permit_that_only_writes_may_use_keeps_no_read_from_asking():
    shared = InMemory()
    governor = process(shared)
    write = acquire(governor, 1.0, writes=True)
    governor.release(write, 1.1, counted=False)
    assert send(governor, 1.2)


def test_a_question_that_may_have_arrived_gives_nothing_back_twice():
    shared = InMemory()
    governor = process(shared)
    for number in range(8):
        assert send(governor, 1.0 + number / 100)
    used = 200 - shared.free(1.1)
    shared.broken = True
    governor.flush(1.2, 1.0)
    shared.broken = False
    governor.ask(1.2 + RETRY_SECONDS, 1.0)
    assert 200 - shared.free(1.2 + RETRY_SECONDS) >= used


def test_an_answer_that_was_asked_for_before_a_429_frees_nothing_however_long_the_exchange_takes():
    shared = InMemory()
    governor = process(shared)
    assert send(governor, 1.0)
    governor.update_from_headers({}, 2.0, TODAY, sent_at=1.99, refused=True)
    governor.block(600, 2.0)
    assert not send(governor, 2.1)
    remaining = {"ratelimit-limit": "200", "ratelimit-remaining": "150", "ratelimit-reset": "600"}
    governor.update_from_headers(remaining, 2.2, TODAY, sent_at=1.98)
    shared.AHEAD += ANSWER_SECONDS / 2
    assert not send(governor, 3.0)
    assert not send(governor, 4.0)
