"""The data key is replaced while hosts work, and killed at any point it is finished by the next call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, text

from connector.core.errors import InputError
from connector.core.service.credential import Credential
from connector.store import Database, open_database
from connector.store.triggers import deliveries
from connector.store.trust import audit, audit_chain, credentials, data_key_rotation
from connector.store.trust.vault import FILE, FORMER, VARIABLE, Vault, open_vault

pytestmark = pytest.mark.long

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
BODY = '{"iban":"DE89370400440532013000"}'
COUNT = 5
Write = Callable[[Callable[[Connection], Any]], Any]


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.delenv(VARIABLE, raising=False)
    database = open_database(str(tmp_path))
    yield database
    database.close()


@pytest.fixture
def vault(database: Database, tmp_path: Path) -> Vault:
    return open_vault(database, str(tmp_path))


def fill(database: Database, vault: Vault) -> None:
    def store(connection: Connection) -> None:
        for number in range(COUNT):
            credential = Credential("https://api.example", f"key-number-{number}", "")
            credentials.save(connection, vault, credential, NOW)
        deliveries.enqueue(connection, "s", "1", BODY, NOW)
        audit.record(connection, workspace="w", what="token.created", now=NOW)

    database.write(store).result()
    database.write(audit_chain.seal).result()


def check(folder: Path) -> None:
    """A process that starts now reads everything."""
    database = open_database(str(folder))
    try:
        vault = open_vault(database, str(folder))
        ids = [one.id for one in database.read(lambda c: credentials.listed(c, None))]
        opened = {database.read(lambda c, id=id: credentials.open_credential(c, vault, id)).api_key for id in ids}
        assert opened == {f"key-number-{number}" for number in range(COUNT)}
        waiting = database.read(lambda c: deliveries.next_waiting(c, "s"))
        assert waiting is not None
        assert waiting.body == BODY
        assert database.read(lambda c: audit_chain.verify(c, "w")).finding is None
    finally:
        database.close()


def sealed(database: Database) -> list[str]:
    tables = ("SELECT sealed_key FROM credentials", "SELECT sealed_key FROM body_keys")
    own = "SELECT key_check FROM kontor_database UNION SELECT audit_key FROM kontor_database"
    return [row[0] for one in (*tables, own) for row in database.read(lambda c, one=one: c.execute(text(one)).all())]


def test_afterwards_the_former_key_opens_nothing_and_the_new_one_everything(
    database: Database, vault: Vault, tmp_path: Path
) -> None:
    fill(database, vault)
    former = (tmp_path / FILE).read_text()
    assert data_key_rotation.rotate(database, vault) >= COUNT + 2
    assert (tmp_path / FILE).read_text() != former
    assert not (tmp_path / (FILE + FORMER)).exists()
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    old = Vault(str(tmp_path), env={VARIABLE: former})
    for one in sealed(database):
        with pytest.raises(InputError):
            old.open(one)
    check(tmp_path)


@pytest.mark.parametrize("step", range(8))
def test_killed_at_any_point_everything_is_readable_and_the_next_call_finishes(
    database: Database, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    fill(database, vault)
    steps = iter(range(step))

    class Killed(BaseException):
        """Nothing catches it, as nothing catches a signal 9."""

    def dying(function: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            if next(steps, None) is None:
                raise Killed
            return function(*arguments, **named)

        return call

    monkeypatch.setattr(data_key_rotation, "BATCH_SIZE", 2)
    with monkeypatch.context() as patched:
        for name in ("write_new_key", "_sync", "_store", "finish"):
            patched.setattr(data_key_rotation, name, dying(getattr(data_key_rotation, name)))
        with pytest.raises(Killed):
            data_key_rotation.rotate(database, vault)
    check(tmp_path)
    data_key_rotation.rotate(database, Vault(str(tmp_path)))
    assert not (tmp_path / (FILE + FORMER)).exists()
    check(tmp_path)


def test_a_process_that_runs_meanwhile_goes_on_with_the_new_key(
    database: Database, vault: Vault, tmp_path: Path
) -> None:
    fill(database, vault)
    running = Vault(str(tmp_path))
    before = running.seal("before")
    data_key_rotation.begin(vault)
    assert running.open(before) == "before"
    after = running.seal("after")
    data_key_rotation.rotate(database, vault)
    assert Vault(str(tmp_path)).open(after) == "after"


def test_keys_in_the_environment_are_replaced_by_the_first(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    monkeypatch.setenv(VARIABLE, old)
    vault = open_vault(database, str(tmp_path))
    fill(database, vault)
    with pytest.raises(InputError):
        data_key_rotation.rotate(database, vault)
    monkeypatch.setenv(VARIABLE, f"{new} {old}")
    check(tmp_path)
    data_key_rotation.rotate(database, Vault(str(tmp_path)))
    monkeypatch.setenv(VARIABLE, new)
    check(tmp_path)
