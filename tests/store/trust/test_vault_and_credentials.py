from __future__ import annotations

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from connector.core.errors import InputError, KeyRefused, RightMissing
from connector.core.service.credential import Credential
from connector.core.service.wire import Wire
from connector.store import Database
from connector.store.triggers import cursors
from connector.store.trust import credentials, workspaces
from connector.store.trust.vault import FILE, Vault

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
Write = Callable[[Callable[[Any], Any]], Any]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(str(tmp_path), env={})


def test_the_key_file_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    sealed = Vault(str(tmp_path), env={}).seal("secret")
    assert Vault(str(tmp_path), env={}).open(sealed) == "secret"
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_hosts_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        vaults = list(pool.map(lambda _: Vault(str(tmp_path), env={}), range(8)))
    assert {vault.open(vaults[0].seal("secret")) for vault in vaults} == {"secret"}


def test_a_key_from_the_environment_needs_no_file(tmp_path: Path) -> None:
    env = {"KONTOR_DATA_KEY": Fernet.generate_key().decode()}
    assert Vault(str(tmp_path), env).open(Vault(str(tmp_path), env).seal("secret")) == "secret"
    assert not (tmp_path / FILE).exists()


def test_another_key_is_a_clear_error_and_shows_nothing(tmp_path: Path, vault: Vault) -> None:
    sealed = vault.seal("secret")
    other = Vault(str(tmp_path), env={"KONTOR_DATA_KEY": Fernet.generate_key().decode()})
    with pytest.raises(InputError) as refused:
        other.open(sealed)
    assert refused.value.field == "KONTOR_DATA_KEY"
    assert "secret" not in str(refused.value.as_dict())


def test_a_shared_database_never_makes_up_a_key(tmp_path: Path) -> None:
    env = {"XDG_DATA_HOME": str(tmp_path)}
    with pytest.raises(InputError):
        Vault("postgresql://host/db", env)
    (tmp_path / "kontor").mkdir()
    (tmp_path / "kontor" / FILE).write_bytes(Fernet.generate_key())
    Vault("postgresql://host/db", env)


@pytest.mark.parametrize("key", ["short", "ä" * 44, "x" * 44])
def test_what_is_no_key_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError):
        Vault(str(tmp_path), env={"KONTOR_DATA_KEY": key})


def test_a_credential_is_kept_once_and_its_key_is_nowhere_in_the_clear(
    database: Database, write: Write, vault: Vault
) -> None:
    wire = Wire.with_overrides({"opos": {"cutoff": "bis"}})
    credential = Credential("https://service.example", "very-secret-key", "n8n", wire)
    id = write(lambda c: credentials.save(c, vault, credential, NOW))
    assert write(lambda c: credentials.save(c, vault, credential, NOW)) == id
    opened = database.read(lambda c: credentials.open_credential(c, vault, id))
    assert (opened.api_key, opened.quelle, opened.wire["opos.cutoff"]) == ("very-secret-key", "n8n", "bis")
    row = database.read(lambda c: c.exec_driver_sql("select * from credentials").one())
    assert "very-secret-key" not in str(tuple(row))


def test_a_revoked_credential_cannot_be_opened_until_it_is_kept_again(
    database: Database, write: Write, vault: Vault
) -> None:
    credential = Credential("https://service.example", "very-secret-key")
    id = write(lambda c: credentials.save(c, vault, credential, NOW))
    write(lambda c: credentials.revoke(c, id, NOW))
    with pytest.raises(KeyRefused):
        database.read(lambda c: credentials.open_credential(c, vault, id))
    assert database.read(lambda c: credentials.listed(c, None))[0].revoked_at == NOW
    sealed = database.read(lambda c: c.exec_driver_sql("select sealed_key from credentials").scalar_one())
    assert sealed == "", "the key is erased"
    assert write(lambda c: credentials.save(c, vault, credential, NOW)) == id
    database.read(lambda c: credentials.open_credential(c, vault, id))


def test_what_was_remembered_under_the_old_key_goes_on_under_the_new_one(
    database: Database, write: Write, vault: Vault
) -> None:
    old = Credential("https://service.example", "old-key")
    new = Credential("https://service.example", "new-key")
    id = write(lambda c: credentials.save(c, vault, old, NOW, "kunde-a"))
    write(
        lambda c: cursors.get_or_create(
            c,
            f"{old.fingerprint}:mine",
            credential=old.fingerprint,
            trigger="new_payment",
            inputs={},
            start="now",
            next_at=NOW,
        )
    )
    write(lambda c: credentials.rotate(c, vault, id, "new-key", NOW))
    assert database.read(lambda c: credentials.open_credential(c, vault, id)).api_key == "new-key"
    assert database.read(lambda c: workspaces.of_key(c, new.fingerprint)) == "kunde-a"
    assert database.read(lambda c: cursors.get(c, f"{new.fingerprint}:mine")) is not None
    assert database.read(lambda c: cursors.get(c, f"{old.fingerprint}:mine")) is None


def test_a_key_that_is_kept_elsewhere_cannot_replace_another(write: Write, vault: Vault) -> None:
    one = write(lambda c: credentials.save(c, vault, Credential("https://service.example", "one-key"), NOW))
    write(lambda c: credentials.save(c, vault, Credential("https://service.example", "two-key"), NOW))
    with pytest.raises(InputError):
        write(lambda c: credentials.rotate(c, vault, one, "two-key", NOW))


def test_a_key_stays_in_its_workspace(write: Write, vault: Vault) -> None:
    key = Credential("https://service.example", "one-key")
    write(lambda c: credentials.save(c, vault, key, NOW, "kunde-a"))
    with pytest.raises(RightMissing):
        write(lambda c: credentials.save(c, vault, key, NOW, "kunde-b", chosen=True))
    other = write(lambda c: credentials.save(c, vault, Credential(key.base_url, "two-key"), NOW, "kunde-b"))
    with pytest.raises(RightMissing):
        write(lambda c: credentials.rotate(c, vault, other, "one-key", NOW))


def test_a_workspace_uses_only_a_key_that_was_chosen_for_it(database: Database, write: Write, vault: Vault) -> None:
    left, own = (Credential("https://service.example", key) for key in ("left-key", "own-key"))
    write(lambda c: credentials.save(c, vault, left, NOW, "kunde-a"))
    assert database.read(lambda c: credentials.chosen(c, "kunde-a")) is None
    id = write(lambda c: credentials.save(c, vault, own, NOW, "kunde-a", chosen=True))
    found = database.read(lambda c: credentials.chosen(c, "kunde-a"))
    assert found is not None
    assert found.id == id
    write(lambda c: credentials.revoke(c, id, NOW))
    assert database.read(lambda c: credentials.chosen(c, "kunde-a")) is None
