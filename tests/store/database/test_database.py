"""The one writer: changes are whole or not at all, fail alone, and go on after a loss, on both databases."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import OperationalError

from connector.store import Database, open_database
from connector.store.runs import runs
from connector.store.runs.runs import NewRun
from connector.store.schema import usage

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def run(key: str) -> NewRun:
    return NewRun(f"run {key}", "default", key, "c", "create_cash_book_entry", "digest", b"{}", "owner")


def enter(key: str) -> Any:
    """One change by a ready-made statement, and one by SQLAlchemy."""

    def change(connection: Connection) -> None:
        assert runs.claim(connection, run(key), NOW) is None
        connection.execute(
            usage.insert().values(credential="c", day="2026-05-04", flow="f", label=key, calls=1, credits=1)
        )

    return change


def entered(database: Database) -> tuple[set[str], set[str]]:
    def question(connection: Connection) -> tuple[set[str], set[str]]:
        keys = connection.execute(select(runs.runs.c.key)).scalars()
        return set(keys), set(connection.execute(select(usage.c.label)).scalars())

    return database.read(question)


@pytest.mark.parametrize("durable", [True, False])
def test_a_change_that_fails_half_way_leaves_nothing(database: Database, durable: bool) -> None:
    def fails(connection: Connection) -> None:
        enter("half")(connection)
        raise OSError("disk full")

    database.write(enter("before"), durable=durable).result()
    with pytest.raises(OSError, match="disk full"):
        database.write(fails, durable=durable).result()
    database.write(enter("after"), durable=durable).result()
    assert entered(database) == ({"before", "after"}, {"before", "after"})


def test_a_change_that_fails_among_others_fails_alone(database: Database) -> None:
    def fails(connection: Connection) -> None:
        enter("bad")(connection)
        raise OSError("disk full")

    futures = [database.write(fails if number == 5 else enter(str(number))) for number in range(10)]
    for number, future in enumerate(futures):
        if number == 5:
            with pytest.raises(OSError, match="disk full"):
                future.result()
        else:
            future.result()
    good = {str(number) for number in range(10) if number != 5}
    assert entered(database) == (good, good)


def test_many_threads_write_at_once(database: Database) -> None:
    def write(number: int) -> None:
        database.write(enter(str(number)), durable=number % 3 == 0).result()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(100)))
    every = {str(number) for number in range(100)}
    assert entered(database) == (every, every)


def test_a_change_for_soon_is_made_before_any_question_or_by_itself(database: Database) -> None:
    database.write_later(enter("soon"))
    assert entered(database)[0] == {"soon"}
    database.write_later(enter("by itself"))
    deadline = time.monotonic() + 10
    with database.engine.connect() as connection:  # not by `read`, which would make it
        while runs.find_by_key(connection, "default", "by itself") is None:
            assert time.monotonic() < deadline
            connection.rollback()
            time.sleep(0.01)


def test_a_change_for_soon_that_fails_takes_nothing_else_down(database: Database) -> None:
    def fails(connection: Connection) -> None:
        enter("half")(connection)
        raise OSError("disk full")

    for change in (enter("one"), fails, enter("two")):
        database.write_later(change)
    database.write(enter("next")).result()
    assert entered(database)[0] == {"one", "two", "next"}


def test_what_was_for_soon_is_there_after_closing(location: str) -> None:
    database = open_database(location)
    database.write_later(enter("soon"))
    database.close()
    again = open_database(location)
    assert entered(again)[0] == {"soon"}
    again.close()


def test_a_closed_database_refuses_a_change_for_soon_instead_of_losing_it(location: str) -> None:
    database = open_database(location)
    database.close()
    with pytest.raises(RuntimeError, match="closed"):
        database.write_later(enter("too late"))
    again = open_database(location)
    assert entered(again)[0] == set()
    again.close()


def test_a_caller_does_not_wait_for_another_process_that_writes(tmp_path: Path) -> None:
    database = open_database(str(tmp_path))
    database.write(enter("before")).result()
    other = sqlite3.connect(tmp_path / "kontor.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = [database.write(enter("first"), durable=False), database.write(enter("second"), durable=False)]
    assert not any(future.done() for future in waiting)
    other.rollback()
    for future in waiting:
        future.result(timeout=20)
    other.close()
    assert entered(database)[0] == {"before", "first", "second"}
    database.close()


def test_each_change_waits_for_the_disk_if_it_asked_to(tmp_path: Path) -> None:
    database = open_database(str(tmp_path))

    def synchronous(connection: Connection) -> int:
        return int(connection.execute(text("PRAGMA synchronous")).scalar_one())

    full, normal = 2, 1
    for durable in (True, False, False, True, True):
        assert database.write(synchronous, durable=durable).result() == (full if durable else normal)
        assert database.write(synchronous, durable=not durable).result() == (normal if durable else full)
    database.close()


def test_a_backend_that_ended_before_a_change_costs_nothing(postgres_url: str) -> None:
    database = open_database(postgres_url)
    mine = database.write(lambda connection: connection.execute(text("SELECT pg_backend_pid()")).scalar_one()).result()
    database.read(lambda connection: connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": mine}))
    database.write(enter("found")).result()
    database.write(enter("again")).result()
    assert entered(database) == ({"found", "again"}, {"found", "again"})
    database.close()


def test_a_deferred_change_that_an_outage_meets_beside_one_that_fails_is_made_later(database: Database) -> None:
    calls: list[int] = []

    def deferred(connection: Connection) -> None:
        calls.append(len(calls))
        if len(calls) == 2:  # when it is made alone, since another change of its batch has failed
            raise OperationalError("", {}, Exception("the server is gone"))
        enter("deferred")(connection)

    def fails(connection: Connection) -> None:
        raise ValueError("mistaken")

    database.write_later(deferred)
    with pytest.raises(ValueError, match="mistaken"):
        database.write(fails).result(10)
    assert entered(database)[0] == {"deferred"}
    assert len(calls) == 3
