"""Finding runs, their course in the audit log, and cancelling one that was not sent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from connector.core.callers import CallSource
from connector.store import Database
from connector.store.runs import runs, search
from connector.store.runs.search import Wanted
from connector.store.trust import audit

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
Write = Callable[[Callable[[Any], Any]], Any]


def new_run(at: datetime, workspace: str = "default", digest: str = "2:a", action: str = "pay") -> runs.NewRun:
    return runs.NewRun(runs.new_id(at), workspace, f"key-{at.timestamp()}", "f", action, digest, b'{"a": 1}', "owner")


def test_the_newest_come_first_and_only_those_of_the_workspace(write: Write, database: Database) -> None:
    made = [new_run(NOW + timedelta(minutes=minute)) for minute in range(5)]
    for one in [*made, new_run(NOW, workspace="other")]:
        write(lambda connection, one=one: runs.insert(connection, one, "claimed", NOW))
    with database.engine.connect() as connection:
        found = search.newest(connection, "default", Wanted(kind="write"), 3)
        assert [run.id for run in found] == [run.id for run in reversed(made)][:3]
        older = search.newest(connection, "default", Wanted(kind="write", before=found[-1].id), 9)
        assert [run.id for run in older] == [made[1].id, made[0].id]
        since = Wanted(since=NOW + timedelta(minutes=3))
        assert len(search.newest(connection, "default", since, 9)) == 2
        assert search.newest(connection, "default", Wanted(state="done"), 9) == []
        assert len(search.newest(connection, "default", Wanted(), 9, lambda run: run.id == made[2].id)) == 1


def test_an_equal_write_of_the_last_minutes_is_found_unless_it_certainly_did_not_happen(
    write: Write, database: Database
) -> None:
    made, refused = new_run(NOW), new_run(NOW + timedelta(minutes=1))
    write(lambda connection: runs.insert(connection, made, "sending", NOW))
    write(lambda connection: runs.insert(connection, refused, "refused", NOW))

    def found(since: datetime, workspace: str = "default") -> str | None:
        with database.engine.connect() as connection:
            run = search.recent_equal(connection, workspace, "2:a", since)
        return run.id if run else None

    assert found(NOW - timedelta(minutes=10)) == made.id
    assert found(NOW + timedelta(seconds=1)) is None
    assert found(NOW - timedelta(minutes=10), "other") is None
    assert write(lambda connection: runs.finish(connection, made, "unknown", {}, NOW))
    with database.engine.connect() as connection:
        unknown = search.unresolved_equal(connection, "default", "2:a")
    assert unknown is not None
    write(lambda connection: runs.settle(connection, unknown, False, "", NOW))
    assert found(NOW - timedelta(minutes=10)) is None


def test_only_what_was_not_sent_yet_is_cancelled_and_its_owner_may_not_send_it(
    write: Write, database: Database
) -> None:
    waiting, leaving, by = new_run(NOW), new_run(NOW + timedelta(minutes=1)), CallSource("console")
    for one in (waiting, leaving):
        write(lambda connection, one=one: runs.insert(connection, one, "claimed", NOW))
    write(lambda connection: runs.start_sending(connection, leaving.id, leaving.owner, NOW))

    def cancel(id: str) -> bool:
        def change(connection: Any) -> bool:
            found = runs.find(connection, "default", id)
            assert found is not None
            return runs.cancel(connection, found, {"message": "no"}, by, NOW)

        return bool(write(change))

    assert cancel(waiting.id)
    assert not cancel(waiting.id)
    assert not cancel(leaving.id)
    try:
        write(lambda connection: runs.start_sending(connection, waiting.id, waiting.owner, NOW))
    except runs.ClaimLost:
        pass
    else:
        raise AssertionError("a cancelled run was sent")
    with database.engine.connect() as connection:
        run = runs.find(connection, "default", waiting.id)
        assert run is not None
        assert runs.was_cancelled(run)
        assert [one.what for one in search.history_of(connection, run)] == ["run.cancelled"]


def test_the_course_of_a_run_leaves_out_entries_of_others(write: Write, database: Database) -> None:
    one = new_run(NOW)
    write(lambda connection: runs.insert(connection, one, "claimed", NOW))
    for workspace, subject in (("default", one.id), ("other", one.id), ("default", "another")):
        write(
            lambda connection, workspace=workspace, subject=subject: audit.record(
                connection, workspace=workspace, what="run.sent", subject=subject, now=NOW
            )
        )
    with database.engine.connect() as connection:
        run = runs.find(connection, "default", one.id)
        assert run is not None
        assert len(search.history_of(connection, run)) == 1
