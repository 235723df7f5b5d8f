"""What PostgreSQL changes with one statement is the same as the ordinary way, whatever happens to the connection."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, text

from connector.core.call_source import CallSource
from connector.store import Database, audit, direct_change, open_database, repeat_guard, runs, write_connection
from connector.store.ended_run import ending
from connector.store.first_sending import record_sending
from connector.store.runs import NewRun
from connector.store.schema import audit as audit_table
from connector.store.schema import repeat_guard as guard_table
from connector.store.schema import runs as run_table

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def a_run(number: int, digest: str | None = None) -> NewRun:
    return NewRun(f"{number:032x}", "default", None, "f" * 16, "pay", digest or f"2:{number}", b"{}", f"owner-{number}")


def ordinary(run: NewRun) -> Callable[[Connection], str | None]:
    """Return the change that a write without a key makes on SQLite; it tells what was in the way."""

    def change(connection: Connection) -> str | None:
        if (equal := runs.unresolved_equal_to(connection, run)) is not None and equal[0] == "unknown":
            return " ".join(equal)
        if (earlier := repeat_guard.admit(connection, run, NOW, timedelta(minutes=10))) is not None:
            return f"repeats {earlier}"
        runs.insert(connection, run, "sending", NOW)
        return None

    return change


def entry_of(run: NewRun) -> audit.NewRow:
    return audit.new_row(
        source=CallSource(), workspace=run.workspace, what="run.sent", subject=run.id, now=NOW, id=run.id
    )


def entries(database: Database) -> list[str]:
    return database.read(lambda c: list(c.execute(select(audit_table.c.subject).order_by(audit_table.c.id)).scalars()))


def record(database: Database, run: NewRun) -> Any:
    return database.write_blocking(record_sending(run, NOW, ordinary(run)), durable=False)


def states(database: Database) -> list[str]:
    return database.read(lambda c: list(c.execute(select(run_table.c.state).order_by(run_table.c.id)).scalars()))


def test_a_write_is_recorded_once_and_an_equal_one_is_held_back(database: Database) -> None:
    first, second = a_run(1), a_run(2, digest="2:1")
    assert record(database, first) is None
    assert record(database, second) == f"repeats {first.id}"
    assert states(database) == ["sending"]


def test_a_write_that_equals_an_unknown_one_is_held_back(database: Database) -> None:
    first = a_run(1)
    record(database, first)
    database.write_blocking(lambda c: runs.finish(c, first, "unknown", {}, NOW))
    database.write_blocking(lambda c: c.execute(guard_table.delete()))
    assert record(database, a_run(2, digest="2:1")) == f"unknown {first.id}"


def test_many_outcomes_are_recorded_at_once(database: Database) -> None:
    made = [a_run(number) for number in range(1, 9)]
    for run in made:
        record(database, run)
    database.write_blocking(lambda c: runs.finish(c, made[0], "refused", {"why": "no"}, NOW))
    for run in made:
        database.write_deferred(ending(run, "done", {"cost": 1}, NOW, partial(entry_of, run)))
    assert states(database) == ["refused", *["done"] * 7], "an outcome that is recorded already stays"
    assert entries(database) == [run.id for run in made]


@pytest.fixture
def on_postgresql(postgres_url: str) -> Any:
    database = open_database(postgres_url)
    yield database
    database.close()


def test_a_connection_that_was_lost_meanwhile_is_opened_again(on_postgresql: Database) -> None:
    record(on_postgresql, a_run(1))
    process = on_postgresql.write_blocking(lambda c: c.execute(select(func.pg_backend_pid())).scalar_one())
    on_postgresql.read(lambda c: c.execute(text("SELECT pg_terminate_backend(:process)"), {"process": process}).all())
    assert record(on_postgresql, a_run(2)) is None
    assert states(on_postgresql) == ["sending", "sending"]


def test_a_connection_that_is_lost_after_the_commit_repeats_nothing(
    on_postgresql: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = []

    def make_and_lose(connection: Connection, changes: Any) -> Any:
        results = direct_change.make_directly(connection, changes)
        if not lost:
            lost.append(results)
            connection.connection.dbapi_connection.close()  # type: ignore[union-attr]
            direct_change.make_directly(connection, changes)
        return results

    monkeypatch.setattr(write_connection, "make_directly", make_and_lose)
    run = a_run(1)
    assert record(on_postgresql, run) is None
    assert lost
    assert states(on_postgresql) == ["sending"]
    lost.clear()
    on_postgresql.write_blocking(ending(run, "done", {"cost": 1}, NOW, partial(entry_of, run)), durable=False)
    assert lost
    assert states(on_postgresql) == ["done"]
    assert entries(on_postgresql) == [run.id]


def test_a_direct_change_waits_for_the_disk_only_when_asked(on_postgresql: Database) -> None:
    def setting(connection: Connection) -> str:
        return str(connection.execute(text("SHOW synchronous_commit")).scalar_one())

    record(on_postgresql, a_run(1))
    assert on_postgresql.write_blocking(setting, durable=False) == "off"
    assert on_postgresql.write_blocking(setting) == "on"
