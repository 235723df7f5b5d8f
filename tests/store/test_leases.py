from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

from connector.store import Database, leases, open_database

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
Write = Callable[[Callable[[Any], Any]], Any]


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def test_a_lease_has_one_holder(write: Write) -> None:
    assert write(lambda c: leases.acquire(c, "job", "a", 10, NOW)) is not None
    assert write(lambda c: leases.acquire(c, "job", "b", 10, later(9))) is None
    assert write(lambda c: leases.acquire(c, "job", "a", 10, later(9))) is None


def test_a_lease_that_ran_out_goes_to_the_next_with_a_higher_fence(write: Write) -> None:
    first = write(lambda c: leases.acquire(c, "job", "a", 10, NOW))
    second = write(lambda c: leases.acquire(c, "job", "b", 10, later(10)))
    assert second.fence > first.fence
    assert not write(lambda c: leases.holds(c, first, later(11)))
    assert write(lambda c: leases.holds(c, second, later(11)))


def test_a_lease_given_back_can_be_had_at_once_and_its_fence_still_grows(write: Write) -> None:
    first = write(lambda c: leases.acquire(c, "job", "a", 10, NOW))
    write(lambda c: leases.release(c, first, later(1)))
    second = write(lambda c: leases.acquire(c, "job", "b", 10, later(1)))
    assert second.fence == first.fence + 1


def test_a_renewed_lease_lasts_longer_and_a_lost_one_cannot_be_renewed(write: Write) -> None:
    first = write(lambda c: leases.acquire(c, "job", "a", 10, NOW))
    assert write(lambda c: leases.renew(c, first, 10, later(9))).until == later(19)
    assert write(lambda c: leases.acquire(c, "job", "b", 10, later(18))) is None
    write(lambda c: leases.acquire(c, "job", "b", 10, later(19)))
    assert write(lambda c: leases.renew(c, first, 10, later(20))) is None


def test_an_expired_lease_holds_nothing_even_before_somebody_takes_it(write: Write) -> None:
    first = write(lambda c: leases.acquire(c, "job", "a", 10, NOW))
    assert not write(lambda c: leases.holds(c, first, later(10)))


def test_of_many_hosts_that_reach_for_a_lease_at_once_one_gets_it(database: Database, location: str) -> None:
    others = [database, *(open_database(location) for _ in range(3))]
    try:
        with ThreadPoolExecutor(8) as pool:
            for round in range(10):
                tries = [
                    pool.submit(
                        host.write(lambda c, r=round, h=host: leases.acquire(c, f"j{r}", str(id(h)), 9, NOW)).result
                    )
                    for host in others
                ]
                assert sum(one.result() is not None for one in tries) == 1
    finally:
        for other in others[1:]:
            other.close()
