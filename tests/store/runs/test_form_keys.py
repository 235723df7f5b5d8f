"""Keys of filled forms: one run for the same contents, and one further run for all who repeat it at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from connector.store import Database
from connector.store.runs import forms, runs
from connector.store.runs.runs import NewRun, Run

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
Write = Callable[[Callable[[Any], Any]], Any]


def made(database: Database, write: Write, number: int, key: str | None, at: datetime) -> Run:
    new = NewRun(f"{number:032x}", "default", key, "f" * 16, "pay", "2:1", b"{}", "owner")
    write(lambda connection: runs.insert(connection, new, "sending", at))
    write(lambda connection: runs.finish(connection, new, "done", {}, at))
    found = database.read(lambda connection: runs.find(connection, "default", new.id))
    assert found is not None
    return found


def again(write: Write, key: str, repeated: Run, at: datetime = NOW) -> str:
    return str(write(lambda connection: forms.replace_form_run(connection, "c1", "2:1", key, repeated, at)))


def test_equal_contents_filled_within_the_window_are_one_run(write: Write) -> None:
    def claim(key: str, since: datetime, now: datetime) -> str:
        return str(write(lambda connection: forms.claim_form(connection, "c1", "2:1", key, since, now)))

    assert claim("one", NOW - timedelta(minutes=10), NOW) == "one"
    assert claim("two", NOW - timedelta(minutes=5), NOW + timedelta(minutes=5)) == "one"
    assert claim("three", NOW + timedelta(minutes=5), NOW + timedelta(minutes=15)) == "three"


def test_two_who_repeat_a_run_that_was_made_elsewhere_make_one_further_run(database: Database, write: Write) -> None:
    over_http = made(database, write, 1, "flow-7", NOW - timedelta(minutes=2))
    assert [again(write, key, over_http) for key in ("tab-1", "tab-2")] == ["tab-1", "tab-1"]


def test_an_older_form_does_not_stand_in_for_a_repeat_that_is_meant(database: Database, write: Write) -> None:
    yesterday = NOW - timedelta(days=1)
    write(lambda connection: forms.claim_form(connection, "c1", "2:1", "old", yesterday, yesterday))
    over_http = made(database, write, 1, None, NOW - timedelta(minutes=2))
    assert [again(write, key, over_http) for key in ("tab-1", "tab-2")] == ["tab-1", "tab-1"]


def test_each_repeat_of_a_repeat_is_a_run_of_its_own(database: Database, write: Write) -> None:
    write(lambda connection: forms.claim_form(connection, "c1", "2:1", "first", NOW, NOW))
    first = made(database, write, 1, "first", NOW + timedelta(seconds=1))
    assert again(write, "second", first, NOW + timedelta(seconds=9)) == "second"
    second = made(database, write, 2, "second", NOW + timedelta(seconds=10))
    assert again(write, "third", second, NOW + timedelta(seconds=20)) == "third"
