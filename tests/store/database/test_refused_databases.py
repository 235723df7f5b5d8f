"""Databases that must not be used: those that ask for newer code, those of others, and those with another data key."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import text

from connector.core.service.credential import Credential
from connector.store import open_database
from connector.store.database.errors import DataKeyWrong, StoreRefused
from connector.store.schema import REVISION
from connector.store.trust import credentials
from connector.store.trust.vault import open_vault
from tests.store.databases.fill import DATA_KEY
from tests.store.old_databases import load, plain_engine
from tests.support.running_sandbox import HOST_TOKEN

pytestmark = pytest.mark.long

KONTOR = str(Path(sys.executable).parent / "kontor")
NOW = datetime(2026, 5, 4, tzinfo=UTC)


def execute(location: str, *statements: str) -> None:
    engine = plain_engine(location)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def ask_for_newer_code(location: str) -> None:
    open_database(location).close()
    newer = REVISION + 1
    execute(
        location,
        f"UPDATE alembic_version SET version_num = '{newer:04}'",
        f"UPDATE kontor_database SET oldest_code = {newer}",
    )


def tables(location: str) -> set[str]:
    from sqlalchemy import inspect

    return set(inspect(plain_engine(location)).get_table_names())


def kontor(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    service = {"KONTOR_BASE_URL": "https://service.example", "KONTOR_API_KEY": "a-key-of-nobody"}
    return subprocess.run(
        [KONTOR, *arguments], capture_output=True, text=True, timeout=60, check=False, env={**plain, **service, **env}
    )


def test_a_foreign_database_is_refused_and_stays_as_it_was(location: str) -> None:
    execute(location, "CREATE TABLE wp_posts (id INTEGER)", "INSERT INTO wp_posts VALUES (1)")
    with pytest.raises(StoreRefused) as refused:
        open_database(location)
    assert "another program" in refused.value.message.en
    assert "anderen Programm" in refused.value.message.de
    assert refused.value.details == {"tables": ["wp_posts"]}
    assert tables(location) == {"wp_posts"}


def test_a_database_that_others_migrate_with_alembic_is_foreign(location: str) -> None:
    execute(location, "CREATE TABLE alembic_version (version_num VARCHAR(32))", "CREATE TABLE users (id INTEGER)")
    with pytest.raises(StoreRefused, match="another program"):
        open_database(location)
    assert tables(location) == {"alembic_version", "users"}


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kontor.db").write_bytes(b"this is a letter to the tax office" * 100)
    with pytest.raises(StoreRefused, match=r"kontor\.db is not a SQLite database"):
        open_database(str(tmp_path))


def test_another_data_key_is_refused_and_the_first_still_opens(location: str) -> None:
    database = open_database(location)
    first, other = ({"KONTOR_DATA_KEY": Fernet.generate_key().decode()} for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KONTOR_DATA_KEY", first["KONTOR_DATA_KEY"])
        vault = open_vault(database, location, first)
        id = database.write(
            lambda c: credentials.save(c, vault, Credential("https://service.example", "a-key"), NOW)
        ).result()
        with pytest.raises(DataKeyWrong) as refused:
            open_vault(database, location, other)
        assert (refused.value.exit_status, refused.value.field) == (3, "KONTOR_DATA_KEY")
        again = open_vault(database, location, first)
        assert database.read(lambda c: credentials.open_credential(c, again, id)).api_key == "a-key"
    database.close()


def test_a_lost_key_file_is_not_replaced_by_a_new_one(tmp_path: Path) -> None:
    database = open_database(str(tmp_path))
    open_vault(database, str(tmp_path), {})
    (tmp_path / "kontor.key").unlink()
    with pytest.raises(DataKeyWrong):
        open_vault(database, str(tmp_path), {})
    assert not (tmp_path / "kontor.key").exists()
    database.close()


def test_the_key_of_an_older_database_is_known_by_its_credentials(location: str) -> None:
    load("last", location)
    database = open_database(location)
    with pytest.raises(DataKeyWrong):
        open_vault(database, location, {"KONTOR_DATA_KEY": Fernet.generate_key().decode()})
    open_vault(database, location, {"KONTOR_DATA_KEY": DATA_KEY})
    with pytest.raises(DataKeyWrong):
        open_vault(database, location, {"KONTOR_DATA_KEY": Fernet.generate_key().decode()})
    database.close()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("command", [("credits", "--json"), ("subscriptions", "--json")])
def test_the_command_line_says_so_in_one_sentence(command: tuple[str, ...], language: str, tmp_path: Path) -> None:
    ask_for_newer_code(str(tmp_path))
    done = kontor(*command, KONTOR_DATA=str(tmp_path), KONTOR_LANG=language)
    error: dict[str, Any] = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"], error["outcome"]) == (5, "store_refused", "not_sent")
    assert ("newer version" if language == "en" else "neuere Version") in error["message"]
    assert "Traceback" not in done.stdout + done.stderr


def test_a_host_does_not_start_on_a_foreign_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "kontor.db") as connection:
        connection.execute("CREATE TABLE wp_posts (id INTEGER)")
    done = kontor("serve", "--port", "0", "--no-console", KONTOR_DATA=str(tmp_path))
    assert done.returncode == 5
    assert "another program" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_host_with_another_data_key_does_not_start(location: str, tmp_path: Path) -> None:
    database = open_database(location)
    open_vault(database, location, {"KONTOR_DATA_KEY": Fernet.generate_key().decode()})
    database.close()
    env = {"KONTOR_DATA_KEY": Fernet.generate_key().decode(), "KONTOR_HOST_TOKEN": HOST_TOKEN}
    done = kontor("serve", "--port", "0", "--no-console", KONTOR_DATA=location, **env)
    assert done.returncode == 3
    assert "data key is not the one" in done.stderr
    assert "Traceback" not in done.stderr
