"""A database that is deleted, replaced or put back to an earlier state under a process that has it open."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url

from connector.core.timing import BeatObserver
from connector.store import Database, open_database
from connector.store.database import identity, leases
from connector.store.database.errors import DATABASE_ERRORS, StoreReplaced, is_outage
from connector.store.schema import budgets
from tests.store.postgres import administer, empty_postgres_url

__all__ = ["empty_postgres_url"]

FILES = ("kontor.db", "kontor.db-wal", "kontor.db-shm")


def enter(name: str) -> Any:
    return lambda connection: connection.execute(budgets.insert().values(credential=name, hold_back=0))


def names(database: Database) -> set[str]:
    return database.read(lambda connection: set(connection.execute(text("SELECT credential FROM budgets")).scalars()))


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Database]:
    database = open_database(str(tmp_path))
    database.write(enter("before")).result()
    yield database
    database.close()


@pytest.fixture
def _every_change_is_a_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "BEAT_SECONDS", 0.0)


def refused(database: Database, name: str = "after") -> StoreReplaced:
    with pytest.raises(StoreReplaced) as error:
        database.write(enter(name)).result()
    assert isinstance(error.value, DATABASE_ERRORS)
    assert is_outage(error.value)
    assert error.value.outcome == "not_sent"
    return error.value


def test_nothing_is_committed_to_a_file_that_was_deleted(opened: Database, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).unlink()
    assert refused(opened).reason == "store_file_gone"
    with pytest.raises(StoreReplaced):
        opened.write(enter("by the writer thread")).result()
    with pytest.raises(StoreReplaced):
        opened.write(enter("in the event loop"), durable=False).result()
    assert not (tmp_path / "kontor.db").exists()  # nor is an empty one put in its place
    again = open_database(str(tmp_path))  # as a new start does
    again.write(enter("new")).result()
    assert names(again) == {"new"}
    assert refused(opened).reason == "store_replaced"
    again.close()


def test_a_reader_of_a_deleted_file_creates_no_other(opened: Database, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).unlink()
    opened.engine.dispose()
    with pytest.raises(StoreReplaced):
        names(opened)
    assert not (tmp_path / "kontor.db").exists()


def test_a_file_that_is_put_back_is_used_again(opened: Database, tmp_path: Path) -> None:
    (tmp_path / "aside").mkdir()
    for name in FILES:
        (tmp_path / name).rename(tmp_path / "aside" / name)
    refused(opened, "meanwhile")
    for name in FILES:
        (tmp_path / "aside" / name).rename(tmp_path / name)
    opened.write(enter("after")).result()
    assert names(opened) == {"before", "after"}


def test_a_copy_that_takes_the_files_place_is_another_file(opened: Database, tmp_path: Path) -> None:
    shutil.copyfile(tmp_path / "kontor.db", tmp_path / "copy")
    (tmp_path / "copy").replace(tmp_path / "kontor.db")
    assert refused(opened).reason == "store_replaced"


def test_a_deleted_log_of_changes_is_noticed(opened: Database, tmp_path: Path) -> None:
    (tmp_path / "kontor.db-wal").unlink()
    assert refused(opened).reason == "store_file_gone"


def test_the_number_of_a_deleted_file_is_not_taken_for_the_file(opened: Database, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).unlink()
    opened.engine.dispose()
    for _ in range(50):  # a file system gives a free number to the next file
        (tmp_path / "kontor.db").write_bytes(b"")
        refused(opened)
        (tmp_path / "kontor.db").unlink()


def beat(database: Database) -> None:
    """Raise the counter of the hosts' clock."""

    def change(connection: Connection) -> None:
        lease = leases.acquire(connection, leases.CLOCK, "a host", BeatObserver(), 0.0)
        if lease is None:
            leases.renew(connection, leases.Lease(leases.CLOCK, "a host", 1))

    database.write(change).result()


@pytest.mark.usefixtures("_every_change_is_a_beat")
def test_a_database_that_was_put_back_in_place_is_noticed(opened: Database, tmp_path: Path) -> None:
    beat(opened)
    with (
        closing(sqlite3.connect(tmp_path / "backup")) as copy,
        closing(sqlite3.connect(tmp_path / "kontor.db")) as live,
    ):
        live.backup(copy)
        for _ in range(3):
            beat(opened)
        opened.write(enter("forgotten by the backup")).result()
        copy.backup(live)  # the same file, as it was
    assert refused(opened).reason == "store_replaced"
    assert refused(opened).reason == "store_replaced"  # it stays so until the next start
    again = open_database(str(tmp_path))
    again.write(enter("after")).result()
    assert names(again) == {"before", "after"}
    again.close()


@pytest.mark.usefixtures("_every_change_is_a_beat")
def test_the_newest_beat_may_be_lost(database: Database) -> None:
    for _ in range(4):
        beat(database)
    one_less = text("UPDATE leases SET beat = beat - 1")
    database.write(lambda connection: connection.execute(one_less)).result()
    database.write(enter("after")).result()
    assert names(database) == {"after"}


@pytest.mark.usefixtures("_every_change_is_a_beat")
def test_a_counter_that_goes_back_is_a_database_put_back(database: Database) -> None:
    for _ in range(5):
        beat(database)
    database.write(lambda connection: connection.execute(text("UPDATE leases SET beat = beat - 3"))).result()
    refused(database)


def test_another_database_of_the_same_name_is_noticed_on_connecting(postgres_url: str) -> None:
    database = open_database(postgres_url)
    database.write(enter("before")).result()
    name = make_url(postgres_url).database
    administer(postgres_url, f"DROP DATABASE {name} WITH (FORCE)", f"CREATE DATABASE {name}")
    open_database(postgres_url).close()  # with all tables, as a restored backup has them
    refused(database)
    refused(database)
    again = open_database(postgres_url)
    again.write(enter("new")).result()
    assert names(again) == {"new"}
    again.close()
    database.close()


@pytest.mark.usefixtures("_every_change_is_a_beat")
def test_tables_that_were_dropped_and_restored_are_noticed_with_the_next_beat(postgres_url: str) -> None:
    database = open_database(postgres_url)
    database.write(enter("before")).result()
    other = create_engine(postgres_url)
    with other.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    refused(database)
    open_database(postgres_url).close()
    refused(database)
    other.dispose()
    database.close()


@pytest.mark.usefixtures("_every_change_is_a_beat")
@pytest.mark.parametrize("may_ask", [True, False])
def test_an_ordinary_user_need_not_see_the_number_of_the_server(empty_postgres_url: str, may_ask: bool) -> None:
    name = make_url(empty_postgres_url).database
    administer(empty_postgres_url, "DROP ROLE IF EXISTS bookkeeper", "CREATE ROLE bookkeeper LOGIN")
    administer(empty_postgres_url, f"ALTER DATABASE {name} OWNER TO bookkeeper")
    if not may_ask:
        owner = create_engine(empty_postgres_url, isolation_level="AUTOCOMMIT")
        with owner.connect() as connection:
            connection.execute(text("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC"))
        owner.dispose()
    database = open_database(
        make_url(empty_postgres_url).set(username="bookkeeper").render_as_string(hide_password=False)
    )
    for entered in ("first", "second"):
        database.write(enter(entered)).result()
    assert names(database) == {"first", "second"}
    administer(empty_postgres_url, f"DROP DATABASE {name} WITH (FORCE)", f"CREATE DATABASE {name}")
    open_database(empty_postgres_url).close()
    refused(database)
    database.close()
    administer(empty_postgres_url, f"DROP DATABASE {name} WITH (FORCE)", "DROP ROLE bookkeeper")
