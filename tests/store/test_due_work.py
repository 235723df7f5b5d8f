"""What is due, divided between hosts: disjoint, fair, taken over from the dead, and no news lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event
from time import sleep
from typing import Any

import pytest
from sqlalchemy import text, update

from connector.store import Database, open_database
from connector.store.schema import deliveries as delivery_table
from connector.store.schema import due_work as due_table
from connector.store.triggers import deliveries, due_work, events
from connector.store.triggers.due_work import DELIVERIES, POLLS, Claim
from connector.store.triggers.events import IncomingEvent
from connector.store.triggers.overdue import notify_overdue

Write = Callable[[Callable[[Any], Any]], Any]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HELD = timedelta(seconds=10)
DAY = timedelta(days=1)
MANY_OTHERS = "INSERT INTO due_work SELECT :kind, 'other-' || n, :at, 1, '', 0 FROM generate_series(1, 3000) n"
"""So many rows that PostgreSQL finds those that are meant by another index than that of the primary key."""


def claim(write: Write, owner: str, most: int = 10, now: datetime = NOW, key: str | None = None) -> list[Claim]:
    claims: list[Claim] = write(lambda c: due_work.claim(c, POLLS, owner, most, now, now + HELD, key))
    return claims


def tell(write: Write, *keys: str, now: datetime = NOW) -> None:
    write(lambda c: due_work.schedule_each(c, POLLS, keys, now))


def planned(database: Database, key: str = "a") -> datetime | None:
    return database.read(lambda c: due_work.planned(c, POLLS, key))


def test_two_owners_never_claim_the_same(write: Write) -> None:
    tell(write, *(f"key-{number}" for number in range(30)))
    first, second = claim(write, "one", 20), claim(write, "other", 20)
    assert (len(first), len(second)) == (20, 10)
    assert {claimed.key for claimed in first} & {claimed.key for claimed in second} == set()
    assert claim(write, "one") == []


def test_hosts_that_claim_at_the_same_time_divide_the_work(location: str) -> None:
    databases = [open_database(location) for _ in range(3)]
    keys = [f"key-{number}" for number in range(300)]
    databases[0].write(lambda c: due_work.schedule_each(c, POLLS, keys, NOW)).result()

    def claim_all(number: int) -> list[str]:
        taken: list[str] = []
        while claims := claim(lambda change: databases[number].write(change).result(), f"host-{number}", 7):
            taken += [claimed.key for claimed in claims]
        return taken

    with ThreadPoolExecutor(3) as pool:
        taken = [key for keys in pool.map(claim_all, range(3)) for key in keys]
    for database in databases:
        database.close()
    assert Counter(taken) == Counter(keys)


def test_who_has_waited_longest_comes_first_and_who_has_had_a_turn_comes_last(write: Write) -> None:
    for age, key in enumerate(("young", "middle", "old")):
        tell(write, key, now=NOW - timedelta(minutes=age))
    [first] = claim(write, "one", 1)
    assert first.key == "old"
    write(lambda c: due_work.finish(c, first, NOW, NOW))  # it has more to do at once
    assert [claimed.key for claimed in claim(write, "one", 3)] == ["middle", "young", "old"]


def test_a_key_is_due_again_at_its_next_time(write: Write, database: Database) -> None:
    tell(write, "a")
    [piece] = claim(write, "one")
    later = NOW + timedelta(minutes=5)
    assert write(lambda c: due_work.finish(c, piece, later, NOW))
    assert planned(database) == later
    assert claim(write, "one") == []
    assert [claimed.key for claimed in claim(write, "one", now=later)] == ["a"]


def test_news_while_a_key_is_being_done_makes_it_due_again_at_once(write: Write, database: Database) -> None:
    tell(write, "a")
    [piece] = claim(write, "one")
    tell(write, "a")
    assert claim(write, "other") == [], "still claimed"
    write(lambda c: due_work.finish(c, piece, NOW + timedelta(hours=6), NOW))
    assert planned(database) == NOW
    [again] = claim(write, "other")
    write(lambda c: due_work.finish(c, again, None, NOW))
    assert planned(database) is None
    tell(write, "a")
    assert planned(database) == NOW


def test_news_brings_a_planned_time_forward_and_never_puts_it_off(write: Write, database: Database) -> None:
    tell(write, "a", now=NOW)
    tell(write, "a", now=NOW + timedelta(hours=1))
    assert planned(database) == NOW
    tell(write, "a", now=NOW - timedelta(hours=1))
    assert planned(database) == NOW - timedelta(hours=1)


def test_what_a_dead_host_had_claimed_is_claimed_by_another_and_the_dead_one_finishes_nothing(
    write: Write, database: Database
) -> None:
    tell(write, "a")
    [lost] = claim(write, "dead")
    assert claim(write, "alive", now=NOW + HELD / 2) == []
    [taken] = claim(write, "alive", now=NOW + HELD)
    assert not write(lambda c: due_work.finish(c, lost, NOW + timedelta(days=9), NOW))
    assert write(lambda c: due_work.finish(c, taken, None, NOW))
    assert planned(database) is None


def test_a_claim_that_is_kept_is_not_taken_over(write: Write) -> None:
    tell(write, "a")
    [piece] = claim(write, "one")
    for beat in range(1, 6):
        now = NOW + beat * HELD * 0.8
        write(lambda c, now=now: due_work.keep(c, [piece], now + HELD))
        assert claim(write, "other", now=now) == []
    assert write(lambda c: due_work.finish(c, piece, None, NOW))


def test_one_key_can_be_claimed_alone(write: Write) -> None:
    tell(write, "a", "b")
    assert [claimed.key for claimed in claim(write, "one", key="b")] == ["b"]
    assert claim(write, "one", key="b") == []


def test_claims_of_a_clock_that_ran_ahead_are_due_now(write: Write, database: Database) -> None:
    tell(write, "a", now=NOW)
    claim(write, "ahead", now=NOW + timedelta(days=1))
    minute = timedelta(minutes=1)
    assert write(lambda c: due_work.pull_back(c, {due_work.RECONCILIATIONS: NOW + minute}, NOW + minute, NOW)) == 1
    assert planned(database) == NOW


def test_an_event_that_is_rolled_back_tells_nobody(database: Database) -> None:
    def fail(connection: Any) -> None:
        events.insert(connection, [IncomingEvent("c", "e", "card_blocked", "{}")], NOW)
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        database.write(fail).result()
    assert database.read(lambda c: c.execute(text("SELECT count(*) FROM due_work")).scalar_one()) == 0


def test_a_queue_that_a_clock_ahead_has_planned_for_tomorrow_is_told(database: Database, write: Write) -> None:
    write(lambda c: [deliveries.enqueue(c, queue, "item", "{}", NOW) for queue in ("wrong", "waits")])
    for queue in ("wrong", "waits"):
        [piece] = write(lambda c, queue=queue: due_work.claim(c, DELIVERIES, "host", 1, NOW, NOW + HELD, queue))
        write(lambda c, piece=piece: due_work.finish(c, piece, NOW + timedelta(days=1), NOW))
    retry = NOW + timedelta(days=1)
    write(
        lambda c: c.execute(
            delivery_table.update().where(delivery_table.c.subscription_id == "waits").values(next_at=retry)
        )
    )
    later = NOW + timedelta(minutes=1)
    write(lambda c: notify_overdue(c, later, later, timedelta(minutes=10)))
    claims = write(lambda c: due_work.claim(c, DELIVERIES, "host", 9, later, later + HELD))
    assert [claimed.key for claimed in claims] == ["wrong"], "the other one waits for its next attempt"


def keep_both(connection: Any) -> None:
    due_work.keep(connection, [Claim(POLLS, key, "one", 1, 1) for key in ("b", "a")], NOW + HELD)


def pull_both_back(connection: Any) -> None:
    due_work.pull_back(connection, {due_work.RECONCILIATIONS: NOW}, NOW, NOW)


def delete_both(connection: Any) -> None:
    due_work.delete_sent(connection)


def tell_both_overdue(connection: Any) -> None:
    notify_overdue(connection, NOW, NOW, HELD)


@pytest.mark.parametrize("change", [keep_both, pull_both_back, delete_both, tell_both_overdue])
def test_hosts_that_change_the_same_rows_never_wait_for_each_other(
    postgres_url: str, change: Callable[[Any], None]
) -> None:
    """One host has told `a` and is about to tell `b`; another one changes both, and has found `b` first."""
    kind = {delete_both: due_work.RUNS, tell_both_overdue: DELIVERIES}.get(change, POLLS)
    first, second = open_database(postgres_url), open_database(postgres_url)

    def prepare(connection: Any) -> None:
        owner = due_work.FREE if kind in {due_work.RUNS, DELIVERIES} else "one"
        for key in ("b", "a"):
            due_work.schedule(connection, kind, key, NOW)
            deliveries.enqueue(connection, key, "1", "{}", NOW)
            row = update(due_table).where(due_table.c.kind == kind, due_table.c.key == key)
            far = None if change is delete_both or (change is tell_both_overdue and key == "b") else NOW + DAY
            connection.execute(row.values(at=far, owner=owner, claims=1))
        connection.execute(text(MANY_OTHERS), {"kind": kind, "at": NOW + DAY})
        connection.execute(text("ANALYZE due_work"))

    first.write(prepare).result()
    begun, go_on = Event(), Event()

    def tell_slowly(connection: Any) -> None:
        due_work.schedule(connection, kind, "a", NOW)
        begun.set()
        go_on.wait(10)
        due_work.schedule(connection, kind, "b", NOW)

    attempts = Counter[str]()
    telling = first.write(lambda connection: (attempts.update(["told"]), tell_slowly(connection)))
    assert begun.wait(10)
    changing = second.write(lambda connection: (attempts.update(["changed"]), change(connection)))
    sleep(0.3)  # until the other host waits for `a`, or is done
    go_on.set()
    telling.result(20)
    changing.result(20)
    assert attempts == {"told": 1, "changed": 1}, "nobody had to begin again"
    first.close()
    second.close()
