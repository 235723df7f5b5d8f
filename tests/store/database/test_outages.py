"""A database that goes away, is frozen or locked: no wait without end, one line per outage, recovery by itself."""

from __future__ import annotations

import logging
import multiprocessing
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from connector.store import Database, open_database
from connector.store.database.errors import is_outage
from connector.store.schema import budgets
from tests.store.breakable_postgres import BreakablePostgres, frozen_process

pytestmark = pytest.mark.slow


def enter(name: str) -> Any:
    return lambda connection: connection.execute(budgets.insert().values(credential=name, hold_back=0))


def names(database: Database) -> set[str]:
    return database.read(lambda connection: set(connection.execute(text("SELECT credential FROM budgets")).scalars()))


def backend_of(database: Database) -> int:
    """Return the process at the server that serves the writing connection."""
    return database.write(lambda connection: connection.execute(text("SELECT pg_backend_pid()")).scalar_one()).result()


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("kontor")]


@pytest.fixture(autouse=True)
def _log_everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "kontor")


def write_until_it_works(database: Database, name: str, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            database.write(enter(name)).result()
            return
        except Exception:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_limits_are_set_on_every_connection(postgres_url: str) -> None:
    database = open_database(postgres_url)

    def limits(connection: Connection) -> list[str]:
        shown = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
        return [connection.execute(text(f"SHOW {name}")).scalar_one() for name in shown]

    expected = ["3s", "10s", "5s"]
    assert database.read(limits) == expected
    assert database.write(limits).result() == expected
    database.close()


def test_a_server_that_is_killed_and_restarted_is_found_again_with_two_lines(
    breakable_postgres: BreakablePostgres, caplog: pytest.LogCaptureFixture
) -> None:
    database = open_database(breakable_postgres.url)
    database.write(enter("before")).result()
    breakable_postgres.kill()
    for number in range(20):
        with pytest.raises(Exception) as lost:  # noqa: PT011 - of whatever class, it must be told as an outage
            database.write(enter(str(number))).result() if number % 2 else names(database)
        assert is_outage(lost.value)
    breakable_postgres.restart()
    write_until_it_works(database, "after")
    assert names(database) == {"before", "after"}
    database.close()
    assert [line.split(":")[0].split(",")[0] for line in lines(caplog)] == [
        "the database does not answer",
        "the database answers again",
    ]
    assert not [record for record in caplog.records if record.name.startswith("kontor") and record.exc_info]


def test_a_restart_between_two_changes_costs_nothing(breakable_postgres: BreakablePostgres) -> None:
    database = open_database(breakable_postgres.url)
    database.write(enter("before")).result()
    assert names(database) == {"before"}
    breakable_postgres.kill()
    breakable_postgres.restart()
    database.write(enter("after")).result()
    assert names(database) == {"before", "after"}
    database.close()


def test_changes_that_nobody_waits_for_survive_an_outage(breakable_postgres: BreakablePostgres) -> None:
    database = open_database(breakable_postgres.url)
    breakable_postgres.kill()
    database.write_later(enter("deferred"))
    with pytest.raises(Exception):  # noqa: B017, PT011
        database.write(enter("lost")).result()
    breakable_postgres.restart()
    write_until_it_works(database, "after")
    assert names(database) == {"deferred", "after"}
    database.close()


def test_many_callers_of_a_frozen_server_are_all_answered_in_time(
    breakable_postgres: BreakablePostgres,
) -> None:
    database = open_database(breakable_postgres.url)
    database.write(enter("before")).result()
    with breakable_postgres.frozen():
        began = time.monotonic()
        futures = [database.write(enter(str(number))) for number in range(30)]
        for future in futures:
            assert is_outage(future.exception(timeout=30) or OSError())
        assert time.monotonic() - began < 15  # one batch that waits for an answer, and one that cannot connect
    write_until_it_works(database, "after")
    assert {"before", "after"} <= names(database)
    database.close()


def test_a_frozen_backend_is_given_up_and_another_takes_its_place(breakable_postgres: BreakablePostgres) -> None:
    database = open_database(breakable_postgres.url)
    with frozen_process(backend_of(database)):
        began = time.monotonic()
        with pytest.raises(Exception, match="did not answer in time"):
            database.write(enter("lost")).result()
        assert time.monotonic() - began < 10.5
        began = time.monotonic()
        database.write(enter("after")).result()
        assert time.monotonic() - began < 2
    assert "after" in names(database)
    database.close()


HOLDING = """
import sys, time
from sqlalchemy import text
from connector.store import open_database
def change(connection):
    connection.execute(text("UPDATE budgets SET hold_back = 1 WHERE credential = 'shared'"))
    print("inside", flush=True)
    time.sleep(float(sys.argv[2]))
open_database(sys.argv[1]).write(change).result()
"""


@pytest.mark.parametrize("deferred", [False, True])
def test_a_host_frozen_inside_a_transaction_does_not_hold_up_the_other(postgres_url: str, deferred: bool) -> None:
    database = open_database(postgres_url)
    database.write(enter("shared")).result()
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, postgres_url, "60"], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "inside\n"
        with frozen_process(holder.pid):
            began = time.monotonic()
            change = text("UPDATE budgets SET hold_back = 2 WHERE credential = 'shared'")
            if deferred:
                database.write_later(lambda connection: connection.execute(change))
            others = [database.write(enter(str(number))) for number in range(5)]
            blocked = database.write(lambda connection: connection.execute(change).rowcount)
            assert blocked.result(timeout=30) == 1
            for other in others:
                other.result(timeout=30)
            assert time.monotonic() - began < 10
    finally:
        holder.kill()
        holder.wait()
    held = text("SELECT hold_back FROM budgets WHERE credential = 'shared'")
    assert database.read(lambda connection: connection.execute(held).scalar_one()) == 2
    database.close()


def test_a_lock_that_is_never_released_ends_in_an_error_within_ten_seconds(postgres_url: str) -> None:
    database = open_database(postgres_url)
    other = open_database(postgres_url)
    database.write(enter("shared")).result()
    change = text("UPDATE budgets SET hold_back = 2 WHERE credential = 'shared'")
    with other.engine.connect() as holding, ThreadPoolExecutor(1) as pool:
        holding.execute(text("SET idle_in_transaction_session_timeout = 0"))
        holding.execute(change)
        began = time.monotonic()
        waiting = pool.submit(lambda: database.write(lambda connection: connection.execute(change)).result())
        with pytest.raises(Exception, match="lock"):
            waiting.result(timeout=30)
        assert time.monotonic() - began < 10
        database.write(enter("another row")).result()
    for one in (database, other):
        one.close()


def hold_lock(path: str, held: Any, end: Any) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    held.set()
    end.wait(60)


def test_a_sqlite_file_that_another_process_keeps_locked_ends_in_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = open_database(str(tmp_path))
    spawn = multiprocessing.get_context("spawn")
    held, end = spawn.Event(), spawn.Event()
    holder = spawn.Process(target=hold_lock, args=(str(tmp_path / "kontor.db"), held, end))
    holder.start()
    assert held.wait(30)
    began = time.monotonic()
    futures = [database.write(enter(str(number))) for number in range(10)]
    for future in futures:
        assert "locked" in str(future.exception(timeout=30))
    assert time.monotonic() - began < 12  # two batches of five seconds at most
    end.set()
    holder.join()
    database.write(enter("after")).result()
    assert names(database) == {"after"}
    database.close()
    assert len(lines(caplog)) == 2


def test_a_change_that_is_wrong_is_no_outage(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    database.write(enter("once")).result()
    with pytest.raises(Exception) as twice:  # noqa: PT011
        database.write(enter("once")).result()
    assert not is_outage(twice.value)
    assert lines(caplog) == []
