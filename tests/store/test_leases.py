from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from connector.core.timing import DEAD_AFTER_SECONDS, BeatObserver
from connector.store import Database, open_database
from connector.store.database import leases
from connector.store.database.leases import Lease

Write = Callable[[Callable[[Any], Any]], Any]


class Host:
    """One process with its own monotonic clock and its own view of the leases."""

    def __init__(self, write: Write, name: str, monotonic: float = 0.0) -> None:
        self._write, self.name, self.monotonic = write, name, monotonic
        self._observer = BeatObserver()

    def acquire(self, after: float = 0.0) -> Lease | None:
        self.monotonic += after
        lease: Lease | None = self._write(lambda c: leases.acquire(c, "job", self.name, self._observer, self.monotonic))
        return lease


@pytest.fixture
def hosts(write: Write) -> tuple[Host, Host]:
    """Monotonic clocks have nothing in common: one host has been up for an hour, the other for a year."""
    return Host(write, "a", 3_600.0), Host(write, "b", 31_536_000.0)


def acquired(host: Host, after: float = 0.0) -> Lease:
    lease = host.acquire(after)
    assert lease is not None
    return lease


def test_a_lease_has_one_holder(hosts: tuple[Host, Host]) -> None:
    first, second = hosts
    acquired(first)
    assert second.acquire() is None
    assert first.acquire() is None, "another task of the same process"


def test_a_lease_whose_counter_stands_still_goes_to_the_next_with_a_higher_fence(
    write: Write, hosts: tuple[Host, Host]
) -> None:
    dead, alive = hosts
    first = acquired(dead)
    assert alive.acquire() is None
    assert alive.acquire(after=DEAD_AFTER_SECONDS - 1) is None
    second = acquired(alive, after=1)
    assert second.fence > first.fence
    assert not write(lambda c: leases.holds(c, first))
    assert write(lambda c: leases.holds(c, second))


def test_a_counter_that_moves_is_never_taken_over(write: Write, hosts: tuple[Host, Host]) -> None:
    working, other = hosts
    lease = acquired(working)
    for _ in range(10):
        assert other.acquire(after=DEAD_AFTER_SECONDS - 1) is None
        assert write(lambda c: leases.renew(c, lease))


def test_how_long_a_lease_is_held_before_it_is_first_seen_says_nothing(hosts: tuple[Host, Host]) -> None:
    working, other = hosts
    acquired(working)
    assert other.acquire(after=1_000_000) is None


def test_a_lease_given_back_can_be_had_at_once_and_its_fence_still_grows(
    write: Write, hosts: tuple[Host, Host]
) -> None:
    first = acquired(hosts[0])
    write(lambda c: leases.release(c, first))
    assert not write(lambda c: leases.holds(c, first))
    assert acquired(hosts[1]).fence == first.fence + 1


def test_a_lost_lease_can_be_neither_renewed_nor_given_back(write: Write, hosts: tuple[Host, Host]) -> None:
    first = acquired(hosts[0])
    assert hosts[1].acquire() is None
    second = acquired(hosts[1], after=DEAD_AFTER_SECONDS)
    assert not write(lambda c: leases.renew(c, first))
    write(lambda c: leases.release(c, first))
    assert write(lambda c: leases.holds(c, second))


def test_of_two_who_see_a_dead_holder_one_takes_over(write: Write, hosts: tuple[Host, Host]) -> None:
    acquired(Host(write, "dead"))
    for host in hosts:
        assert host.acquire() is None
    assert sum(host.acquire(after=DEAD_AFTER_SECONDS) is not None for host in hosts) == 1


def test_the_counter_of_a_lease_is_shown_only_while_it_is_held(write: Write, hosts: tuple[Host, Host]) -> None:
    assert write(lambda c: leases.counter(c, "job")) is None
    lease = acquired(hosts[0])
    before = write(lambda c: leases.counter(c, "job"))
    write(lambda c: leases.renew(c, lease))
    assert write(lambda c: leases.counter(c, "job")) not in {before, None}
    write(lambda c: leases.release(c, lease))
    assert write(lambda c: leases.counter(c, "job")) is None


def test_of_many_hosts_that_reach_for_a_lease_at_once_one_gets_it(database: Database, location: str) -> None:
    others = [database, *(open_database(location) for _ in range(3))]
    try:
        with ThreadPoolExecutor(8) as pool:
            for round in range(10):
                tries = [
                    pool.submit(
                        host.write(
                            lambda c, r=round, h=host: leases.acquire(c, f"j{r}", str(id(h)), BeatObserver(), 0.0)
                        ).result
                    )
                    for host in others
                ]
                assert sum(attempt.result() is not None for attempt in tries) == 1
    finally:
        for other in others[1:]:
            other.close()
