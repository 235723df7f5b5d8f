"""A database of every earlier shape opens, keeps its rows, and has the schema of a new one afterwards."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Engine, inspect, text

from connector.store import open_database
from connector.store.migrations import run
from tests.store.databases.fill import AT, DATA_KEY, ROWS
from tests.store.old_databases import NAMES, load, plain_engine

pytestmark = pytest.mark.long

FROZEN = "0002"
"""The revision that the databases from before Alembic lead to; what later ones move, their own tests say."""


@pytest.fixture(params=NAMES)
def old(request: pytest.FixtureRequest, location: str) -> str:
    load(request.param, location)
    return location


def shape(engine: Engine) -> dict[str, Any]:
    """Describe all tables with columns, keys, unique constraints and indexes."""
    inspector = inspect(engine)
    return {
        name: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"], column["default"])
                for column in inspector.get_columns(name)
            },
            "key": inspector.get_pk_constraint(name),
            "unique": sorted((one["column_names"], one["name"]) for one in inspector.get_unique_constraints(name)),
            "indexes": sorted((one["name"], one["column_names"]) for one in inspector.get_indexes(name)),
        }
        for name in inspector.get_table_names()
    }


def rows(engine: Engine, table: str) -> list[dict[str, Any]]:
    with engine.connect() as connection:
        found = connection.execute(text(f"SELECT * FROM {table}")).mappings().all()
    return sorted((dict(row) for row in found), key=repr)


def migrate_to_frozen(location: str) -> Engine:
    engine = plain_engine(location)
    with engine.begin() as connection:
        run.migrate(connection, FROZEN)
    return engine


def test_it_has_the_schema_of_a_new_database(
    old: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sqlite = "://" not in old
    fresh = str(tmp_path_factory.mktemp("fresh")) if sqlite else request.getfixturevalue("another_postgres_url")
    for location in (old, fresh):
        open_database(location).close()
    assert shape(plain_engine(old)) == shape(plain_engine(fresh))


def test_no_row_is_lost_or_changed(old: str) -> None:
    engine = plain_engine(old)
    tables = set(inspect(engine).get_table_names()) - {"schema_version", "journal"}
    before = {table: rows(engine, table) for table in tables}
    migrate_to_frozen(old)
    for table in tables:
        kept = [{name: row[name] for name in before[table][0]} for row in rows(engine, table)]
        assert sorted(kept, key=repr) == before[table], table
        assert len(kept) == len(ROWS[table]), table


def test_the_journal_keeps_every_entry_in_its_state_and_at_its_time(old: str) -> None:
    engine = migrate_to_frozen(old)
    kept = {row["key"]: row for row in rows(engine, "journal")}
    assert len(kept) == len(ROWS["journal"])
    for number, entry in enumerate(ROWS["journal"], start=1):
        row = kept[entry["key"]]
        begun, changed = AT + timedelta(minutes=number), AT + timedelta(minutes=number, seconds=number)
        assert row["begun_at"] == pytest.approx(begun.timestamp(), abs=1e-5)
        assert row["changed_at"] == pytest.approx(changed.timestamp(), abs=1e-5)
        for name in ("credential", "action", "digest", "inputs", "state", "owner", "outcome"):
            assert row[name] == entry[name], (entry["key"], name)


def test_times_that_later_code_wrote_into_an_older_journal_stay_as_they_are(tmp_path: Any) -> None:
    load("second", str(tmp_path))
    engine = plain_engine(str(tmp_path))
    with engine.begin() as connection:
        connection.execute(text("UPDATE journal SET begun_at = 1780000000.25 WHERE \"key\" = 'run-1'"))
    migrate_to_frozen(str(tmp_path))
    assert [row["begun_at"] for row in rows(engine, "journal") if row["key"] == "run-1"] == [1780000000.25]


def test_a_new_entry_gets_a_new_id(old: str) -> None:
    engine = migrate_to_frozen(old)
    with engine.begin() as connection:
        columns = "credential, key, action, digest, inputs, state, owner, begun_at, changed_at"
        connection.execute(text(f"INSERT INTO journal ({columns}) VALUES ('c', 'k', 'a', 'd', 'i', 's', 'o', 1, 1)"))
    assert {row["id"] for row in rows(engine, "journal")} == set(range(1, len(ROWS["journal"]) + 2))


@pytest.mark.parametrize("name", ["second", "last"])
def test_secrets_and_positions_are_there_after_opening(name: str, location: str) -> None:
    load(name, location)
    database = open_database(location)
    with database.engine.connect() as connection:
        sealed = connection.execute(text("SELECT sealed_key FROM credentials")).scalar_one()
        cursors = connection.execute(text("SELECT name, cursor, start FROM cursors ORDER BY name")).all()
    database.close()
    assert Fernet(DATA_KEY).decrypt(sealed.encode()) == b"an-api-key"
    assert [row.cursor for row in cursors] == ["i:42", None]
    assert {row.start for row in cursors} == {"all" if name == "last" else "now"}


def test_processes_that_open_an_old_database_at_once_migrate_it_once(old: str) -> None:
    script = f"from connector.store import open_database; open_database({old!r}).close()"
    opening = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(3)]
    assert [process.wait(timeout=60) for process in opening] == [0, 0, 0]
    engine = plain_engine(old)
    assert len(rows(engine, "kontor_database")) == len(rows(engine, "schema_version")) == 1
    assert len(rows(engine, "budgets")) == 1


def test_an_old_database_whose_migration_fails_stays_as_it_was(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shape(plain_engine(old))

    def fails(target: str) -> int:
        raise OSError("disk full")

    monkeypatch.setattr(run, "oldest_code", fails)
    with pytest.raises(OSError, match="disk full"):
        open_database(old)
    monkeypatch.undo()
    assert shape(plain_engine(old)) == before
    open_database(old).close()


def test_the_journal_becomes_runs_and_nothing_that_may_have_been_sent_may_be_sent_again(old: str) -> None:
    database = open_database(old)
    found = {row["key"] or row["owner"]: row for row in rows(database.engine, "runs")}
    named = [entry for entry in ROWS["journal"] if not entry["key"].startswith("~")]
    states = {"begun": "sending", "doubtful": "unknown"}
    assert len(rows(database.engine, "runs")) == len(ROWS["journal"])
    for entry in named:
        row = found[entry["key"]]
        assert row["state"] == states.get(entry["state"], entry["state"])
        assert (row["digest"], row["inputs"], row["outcome"]) == (entry["digest"], entry["inputs"], entry["outcome"])
    database.close()


def test_one_api_key_becomes_the_default_workspace_and_several_one_each(old: str) -> None:
    database = open_database(old)
    keys = {row["fingerprint"]: row["workspace"] for row in rows(database.engine, "workspace_keys")}
    names = {row["name"] for row in rows(database.engine, "workspaces")}
    assert set(keys.values()) == names
    assert names == {"default"} if len(keys) == 1 else names == {f"key-{one}" for one in keys}
    database.close()


@pytest.mark.parametrize("name", ["second", "last"])
def test_every_kept_credential_belongs_to_the_workspace_of_its_key(name: str, location: str) -> None:
    load(name, location)
    database = open_database(location)
    keys = {row["fingerprint"]: row["workspace"] for row in rows(database.engine, "workspace_keys")}
    kept = rows(database.engine, "credentials")
    assert kept
    for credential in kept:
        assert credential["workspace"] == keys[credential["fingerprint"]] != ""
        assert (credential["chosen_at"] is None) == (credential["revoked_at"] is not None)
    database.close()


def test_keys_without_a_workspace_of_a_database_with_several_get_one_each(location: str) -> None:
    engine = plain_engine(location)
    with engine.begin() as connection:
        run.migrate(connection, "0005")
        for name in ("aaaa", "bbbb"):
            connection.execute(
                text(
                    "INSERT INTO credentials (id, fingerprint, base_url, quelle, wire, sealed_key, created_at) "
                    f"VALUES ('{name}', '{name}', 'https://service.example', 'q', '{{}}', 's', '2026-05-04 12:00:00')"
                )
            )
    engine.dispose()
    database = open_database(location)
    assert {row["id"]: row["workspace"] for row in rows(database.engine, "credentials")} == {
        "aaaa": "key-aaaa",
        "bbbb": "key-bbbb",
    }
    database.close()
