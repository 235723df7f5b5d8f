"""The data key is replaced while hosts work, and killed at any point it is finished by the next call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, text

from connector.core.errors import InputError
from connector.core.service.credential import Credential
from connector.core.writes.policy import Policy
from connector.store import Database, open_database
from connector.store.triggers import deliveries
from connector.store.trust import (
    audit,
    audit_chain,
    audit_keys,
    credentials,
    data_key_rotation,
    granting_rows,
    register_rows,
    rights_register,
    sealing,
    tokens,
    workspaces,
)
from connector.store.trust.register_rows import open_sealed_vault
from connector.store.trust.tokens import Token
from connector.store.trust.vault import FILE, FORMER, VARIABLE, Vault

pytestmark = pytest.mark.long

TOKEN = "kontor_token"
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
BODY = '{"iban":"DE89370400440532013000"}'
COUNT = 5
STEPS = (
    *((data_key_rotation, name) for name in ("write_new_key", "_sync", "_store", "finish")),
    *((audit_keys, "replace"), (register_rows, "replace_key"), (sealing, "add_key"), (data_key_rotation, "_renew")),
)
Write = Callable[[Callable[[Connection], Any]], Any]


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.delenv(VARIABLE, raising=False)
    database = open_database(str(tmp_path))
    yield database
    database.close()


@pytest.fixture
def vault(database: Database, tmp_path: Path) -> Vault:
    return open_sealed_vault(database, str(tmp_path))


def fill(database: Database, vault: Vault) -> None:
    def store(connection: Connection) -> None:
        for number in range(COUNT):
            credential = Credential("https://api.example", f"key-number-{number}", "")
            credentials.save(connection, vault, credential, NOW)
        tokens.create(connection, Token("n8n", "w", "payer", "Ada", NOW, None, None, None), TOKEN)
        workspaces.save_policy(connection, "w", Policy(), NOW)
        deliveries.enqueue(connection, "s", "1", BODY, NOW)
        audit.record(connection, workspace="w", what="token.created", now=NOW)

    database.write(store).result()
    database.write(audit_chain.seal).result()


def check(folder: Path) -> None:
    """A process that starts now reads everything."""
    database = open_database(str(folder))
    try:
        vault = open_sealed_vault(database, str(folder))
        ids = [one.id for one in database.read(lambda c: credentials.listed(c, None))]
        opened = {database.read(lambda c, id=id: credentials.open_credential(c, vault, id)).api_key for id in ids}
        assert opened == {f"key-number-{number}" for number in range(COUNT)}
        waiting = database.read(lambda c: deliveries.next_waiting(c, "s"))
        assert waiting is not None
        assert waiting.body == BODY
        assert database.read(lambda c: audit_chain.verify(c, "w")).finding is None
        assert database.read(rights_register.findings) == []
        found = database.read(lambda c: tokens.find(c, tokens.digest(TOKEN)))
        assert found is not None
        assert found.role == "payer"
        database.write(lambda c: audit.record(c, workspace="w", what="token.created", now=NOW)).result()
        database.write(audit_chain.seal).result()
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


@pytest.mark.parametrize("step", range(12))
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
        for module, name in STEPS:
            patched.setattr(module, name, dying(getattr(module, name)))
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
    vault = open_sealed_vault(database, str(tmp_path))
    fill(database, vault)
    with pytest.raises(InputError):
        data_key_rotation.rotate(database, vault)
    monkeypatch.setenv(VARIABLE, f"{new} {old}")
    check(tmp_path)
    data_key_rotation.rotate(database, Vault(str(tmp_path)))
    monkeypatch.setenv(VARIABLE, new)
    check(tmp_path)


class Intruder:
    """Somebody who knew the former data key, and with it the keys that it protected, and can write the database."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database, self.vault = database, Vault(str(folder), env={VARIABLE: (folder / FILE).read_text()})
        row = database.read(lambda c: c.execute(text("SELECT audit_key, register_key FROM kontor_database")).one())
        self.stored = dict(row._mapping)
        self.audit_key, self.register_key = (
            bytes.fromhex(self.vault.open(one).rpartition("\n")[2]) for one in (row.audit_key, row.register_key)
        )

    def run(self, statement: str, **values: Any) -> None:
        self._database.write(lambda c: c.execute(text(statement), values)).result()

    def entries(self) -> list[Any]:
        query = text("SELECT * FROM audit WHERE workspace = 'w' AND number IS NOT NULL ORDER BY number")
        return list(self._database.read(lambda c: c.execute(query).mappings().all()))

    def write_again(self, last: str = "", after: int = 0, **changed: Any) -> None:
        """Sign all entries behind a number anew with the former key."""
        for row in self.entries()[after:]:
            content = audit.payload({**row, **changed})
            mac = audit.signature(self.audit_key, content)
            last = audit.signature(self.audit_key, f"{last}:{row['number']}:{mac}:".encode() + content)
            values = {**changed, "mac": mac, "seal": last}
            columns = ", ".join(f"{name} = :{name}" for name in values)
            self.run(f"UPDATE audit SET {columns} WHERE id = :of_id", **values, of_id=row["id"])
        self.run(
            "UPDATE audit_heads SET seal = :seal, number = :number WHERE workspace = 'w'",
            seal=last,
            number=len(self.entries()),
        )

    def grant(self) -> None:
        """Write an admin's token, and enter it into a register signed with the former key."""
        row = {"workspace": "w", "name": "mine", "role": "admin", "person": "Eve", "made_at": 1.0}
        self.run(
            "INSERT INTO tokens (workspace, name, role, person, made_at, digest, agent)"
            " VALUES (:workspace, :name, :role, :person, :made_at, :digest, 0)",
            **row,
            digest=tokens.digest("kontor_mine"),
        )

        def enter(connection: Connection) -> None:
            register = register_rows.read(connection, register_rows.access_of(connection), range(64))
            entries = {number: dict(bucket) for number, bucket in register.buckets.items()}
            token = connection.execute(text("SELECT * FROM tokens WHERE name = 'mine'")).one()
            name = granting_rows.entry_name(granting_rows.TOKENS, ("w", "mine"))
            entries[granting_rows.bucket_of(name)][name] = (granting_rows.digest(granting_rows.TOKENS, token), "w")
            register_rows.write_all(connection, replace(register, key=self.register_key), entries)

        self._database.write(enter).result()


@pytest.fixture
def intruder(database: Database, vault: Vault, tmp_path: Path) -> Intruder:
    fill(database, vault)
    for number in range(3):
        database.write(lambda c, n=number: audit.record(c, workspace="w", what=f"run.{n}", now=NOW)).result()
    database.write(audit_chain.seal).result()
    intruder = Intruder(database, tmp_path)
    assert database.read(lambda c: tokens.find(c, tokens.digest(TOKEN))), "this process has read both keys"
    data_key_rotation.rotate(database, vault)
    return intruder


def record(database: Database, what: str) -> None:
    database.write(lambda c: audit.record(c, workspace="w", what=what, now=NOW)).result()
    database.write(audit_chain.seal).result()


def verdict(database: Database) -> str | None:
    found = database.read(lambda c: audit_chain.verify(c, "w")).finding
    return found and found.reason


def test_a_process_that_runs_meanwhile_signs_entries_with_the_new_key(database: Database, intruder: Intruder) -> None:
    record(database, "run.sent")
    assert verdict(database) is None
    newest = intruder.entries()[-1]
    assert newest["mac"] != audit.signature(intruder.audit_key, audit.payload(newest))


def test_an_entry_signed_with_the_former_key_is_named(database: Database, intruder: Intruder) -> None:
    record(database, "run.sent")
    forged = {**intruder.entries()[-1], "id": "f" * 32, "what": "run.approved", "number": None, "seal": None}
    forged["mac"] = audit.signature(intruder.audit_key, audit.payload(forged))
    columns = ", ".join(forged)
    intruder.run(f"INSERT INTO audit ({columns}) VALUES ({', '.join(f':{name}' for name in forged)})", **forged)
    database.write(audit_chain.seal).result()
    assert verdict(database) == "inserted"


def test_what_lies_before_cannot_be_rewritten_with_the_former_key(database: Database, intruder: Intruder) -> None:
    intruder.write_again(actor="somebody else")
    assert verdict(database) == "altered"


@pytest.mark.parametrize("how", ["all anew", "the new ones", "fewer"])
def test_nor_what_comes_after(database: Database, intruder: Intruder, how: str) -> None:
    before = len(intruder.entries())
    record(database, "run.sent")
    if how == "all anew":
        intruder.write_again()
    elif how == "the new ones":
        intruder.write_again(intruder.entries()[before - 1]["seal"], before)
    else:
        intruder.run("DELETE FROM audit WHERE workspace = 'w' AND number >= :number", number=before)
        intruder.write_again()
    assert verdict(database) in {"altered", "end"}


@pytest.mark.parametrize("again", [False, True], ids=["a process that ran before", "after a start"])
def test_rights_entered_with_the_former_key_grant_nothing(
    database: Database, intruder: Intruder, tmp_path: Path, again: bool
) -> None:
    intruder.grant()
    opened = open_database(str(tmp_path)) if again else database
    try:
        assert opened.read(lambda c: tokens.find(c, tokens.digest("kontor_mine"))) is None
        assert opened.read(rights_register.findings) != []
    finally:
        if again:
            opened.close()


@pytest.mark.parametrize("source", ["before", "former audit key", "body key", "no constant"])
@pytest.mark.parametrize("column", ["audit_key", "register_key"])
def test_no_key_that_was_known_can_be_put_in_the_place_of_a_new_one(
    database: Database, intruder: Intruder, tmp_path: Path, source: str, column: str
) -> None:
    other = {
        "before": "",
        "former audit key": "SELECT sealed_key FROM audit_keys WHERE number = 1",
        "body key": "SELECT sealed_key FROM body_keys WHERE number = 1",
        "no constant": "SELECT sealed_key FROM body_keys WHERE number = 1",
    }[source]
    sealed = database.read(lambda c: c.execute(text(other)).scalar_one()) if other else intruder.stored[column]
    more = ", key_check = NULL" if source == "no constant" else ""
    intruder.run(f"UPDATE kontor_database SET {column} = :sealed{more}", sealed=sealed)
    again = open_database(str(tmp_path))
    try:
        if column == "audit_key":
            assert again.read(audit_keys.newest) is None
        else:
            assert again.read(lambda c: tokens.find(c, tokens.digest(TOKEN))) is None
    finally:
        again.close()
