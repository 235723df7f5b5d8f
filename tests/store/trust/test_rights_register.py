"""What grants rights verifies only as Kontor has left it: changed, inserted, put back or deleted, it grants nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, delete, insert, select, text, update

from connector.core.errors import InputError, KontorError
from connector.core.service.credential import Credential
from connector.core.writes.policy import Money, Policy
from connector.store import Database, open_database
from connector.store.runs import approvals, runs
from connector.store.runs.approvals import Approval
from connector.store.runs.runs import NewRun
from connector.store.schema import approvals as approvals_table
from connector.store.schema import credentials as credentials_table
from connector.store.schema import kontor_database, policies
from connector.store.schema import rights_register as register_table
from connector.store.schema import runs as runs_table
from connector.store.schema import subscriptions as subscription_table
from connector.store.schema import tokens as token_table
from connector.store.schema import workspace_keys as keys_table
from connector.store.schema import workspaces as workspaces_table
from connector.store.triggers import subscriptions
from connector.store.trust import credentials, granting_rows, register_rows, rights_register, tokens, workspaces
from connector.store.trust.register_rows import open_sealed_vault
from connector.store.trust.rights_register import Unverified
from connector.store.trust.tokens import Token
from connector.store.trust.vault import KEY_KNOWN, VARIABLE, Vault
from tests.store.old_databases import plain_engine

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
Write = Callable[[Callable[[Connection], Any]], Any]
N8N = token_table.c.name == "n8n"


@pytest.fixture
def outside(location: str, database: Database) -> Iterator[Engine]:
    """Somebody who can write the database, and has not the data key."""
    engine = plain_engine(location)
    yield engine
    engine.dispose()


@pytest.fixture
def token(write: Write) -> str:
    return make(write, "n8n")


def make(write: Write, name: str, role: Any = "operator") -> str:
    made = tokens.new_token()
    write(lambda c: tokens.create(c, Token(name, "kunde-a", role, "Ada", NOW, None, None, None), made))
    return made


def change(engine: Engine, *statements: Any) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)


def rows(engine: Engine, table: Any) -> list[dict[str, Any]]:
    with engine.connect() as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def role_of(database: Database, made: str) -> str | None:
    found = database.read(lambda c: tokens.find(c, tokens.digest(made)))
    return None if found is None else found.role


def found_in(database: Database) -> list[tuple[str, str]]:
    return [(one.reason, one.subject) for one in database.read(rights_register.findings)]


def test_a_token_is_worth_what_it_was_made_with(database: Database, write: Write, token: str) -> None:
    assert role_of(database, token) == "operator"
    write(lambda c: tokens.record_use(c, {tokens.digest(token): 1.0}))
    assert role_of(database, token) == "operator", "its last use is no right"
    assert found_in(database) == []


@pytest.mark.parametrize("column", [column.name for column in token_table.columns if column.name != "last_used_at"])
def test_no_column_that_grants_something_can_be_changed(
    database: Database, outside: Engine, token: str, column: str
) -> None:
    given = {"role": "admin", "expires_at": 9e9, "made_at": 1.0, "revoked_at": 1.0, "agent": 1}.get(column, "other")
    change(outside, update(token_table).where(N8N).values({column: given}))
    assert role_of(database, token) is None
    assert role_of(database, "other") is None
    assert ("missing", "tokens/kunde-a/n8n") in found_in(database) or found_in(database) == [
        ("altered", "tokens/kunde-a/n8n")
    ]


def test_a_token_that_was_inserted_grants_nothing(database: Database, outside: Engine, token: str) -> None:
    mine = {**rows(outside, token_table)[0], "name": "mine", "role": "admin", "digest": tokens.digest("kontor_mine")}
    change(outside, insert(token_table).values(mine))
    assert role_of(database, "kontor_mine") is None
    assert role_of(database, token) == "operator", "others stay"
    assert found_in(database) == [("inserted", "tokens/kunde-a/mine")]


def test_two_tokens_cannot_change_places(database: Database, write: Write, outside: Engine, token: str) -> None:
    admin, digest = make(write, "boss", "admin"), token_table.c.digest
    change(
        outside,
        update(token_table).where(N8N).values(digest="-"),
        update(token_table).where(digest == tokens.digest(admin)).values(digest=tokens.digest(token)),
        update(token_table).where(N8N).values(digest=tokens.digest(admin)),
    )
    assert role_of(database, token) is role_of(database, admin) is None
    assert sorted(found_in(database)) == [("altered", "tokens/kunde-a/boss"), ("altered", "tokens/kunde-a/n8n")]


def test_a_revoked_token_cannot_be_put_back(database: Database, write: Write, outside: Engine, token: str) -> None:
    before = rows(outside, token_table)[0]
    write(lambda c: tokens.revoke(c, "n8n", "kunde-a", NOW))
    change(outside, update(token_table).where(N8N).values(before))
    assert role_of(database, token) is None
    assert found_in(database) == [("altered", "tokens/kunde-a/n8n")]


@pytest.mark.parametrize("root", [False, True], ids=["bucket", "whole register"])
def test_nor_together_with_its_place_in_the_register(
    database: Database, write: Write, outside: Engine, token: str, root: bool
) -> None:
    before, entered = rows(outside, token_table)[0], rows(outside, register_table)
    write(lambda c: tokens.revoke(c, "n8n", "kunde-a", NOW))
    assert found_in(database) == []
    change(outside, update(token_table).where(N8N).values(before))
    for row in entered:
        if root or row["bucket"] >= 0:
            change(outside, update(register_table).where(register_table.c.bucket == row["bucket"]).values(row))
    assert role_of(database, token) is None
    assert ("register", "rights_register") in found_in(database)


def test_a_deleted_token_is_missed(database: Database, write: Write, outside: Engine, token: str) -> None:
    change(outside, delete(token_table).where(N8N))
    assert role_of(database, token) is None
    with pytest.raises(Unverified):
        database.read(lambda c: tokens.of_person(c, "kunde-a", "n8n", "Ada"))
    assert found_in(database) == [("missing", "tokens/kunde-a/n8n")]


@pytest.mark.parametrize(
    "harm",
    [
        delete(register_table),
        delete(register_table).where(register_table.c.bucket == -1),
        update(register_table).values(entries="{}"),
        update(kontor_database).values(register_key=None),
        update(kontor_database).values(register_key=None, key_check=None),
        update(kontor_database).values(register_key=None, key_check=None, audit_key=None),
        update(kontor_database).values(register_key="gAAAA"),
    ],
    ids=["emptied", "root", "entries", "key", "key and constant", "all keys", "foreign key"],
)
def test_without_the_register_nothing_is_granted_also_after_a_start(
    location: str, database: Database, outside: Engine, token: str, harm: Any
) -> None:
    mine = {**rows(outside, token_table)[0], "name": "mine", "role": "admin", "digest": tokens.digest("kontor_mine")}
    change(outside, harm, insert(token_table).values(mine))
    database.close()
    again = open_database(location)
    try:
        open_sealed_vault(again, location)
        assert role_of(again, token) is role_of(again, "kontor_mine") is None
        assert ("inserted", "tokens/kunde-a/mine") in found_in(again)
    finally:
        again.close()


def test_what_older_code_has_left_is_taken_over_once(location: str, database: Database, outside: Engine) -> None:
    vault = Vault(location)
    row = {"workspace": "kunde-a", "role": "payer", "person": "Ada", "made_at": 1.0, "agent": 0}
    change(
        outside,
        update(kontor_database).values(key_check=vault.seal(KEY_KNOWN)),
        insert(token_table).values(**row, name="old", digest=tokens.digest("kontor_old")),
    )
    assert role_of(database, "kontor_old") == "payer", "before it is taken over it counts as it always did"
    open_sealed_vault(database, location)
    assert role_of(database, "kontor_old") == "payer"
    change(outside, insert(token_table).values(**row, name="late", digest=tokens.digest("kontor_late")))
    open_sealed_vault(database, location)
    assert role_of(database, "kontor_late") is None
    assert found_in(database) == [("inserted", "tokens/kunde-a/late")]


def test_targets_that_older_code_did_not_enter_are_taken_over_once(
    location: str, database: Database, outside: Engine, write: Write, token: str
) -> None:
    def as_before(connection: Connection) -> None:
        """Leave the register as code of the revision before did."""
        register = register_rows.read(connection, register_rows.access_of(connection), range(64), lock=True)
        names = {granting_rows.entry_name_of_kind(kind) for kind in granting_rows.KINDS}
        kept = {
            number: {name: entry for name, entry in bucket.items() if name not in names}
            for number, bucket in register.buckets.items()
        }
        register_rows.write_all(connection, register, kept)

    write(as_before)
    database.engine.update_execution_options(**{register_rows.CACHED: None})
    row = {"credential_id": "c", "trigger": "t", "inputs": "{}", "sealed_secret": "-", "state": "active"}
    subscribe = insert(subscription_table).values(**row, target_url="https://a.example", created_at=NOW)
    change(outside, subscribe.values(id="old"))
    assert database.read(lambda c: subscriptions.is_as_left(c, "old")), "before it is taken over it counts as it did"
    open_sealed_vault(database, location)
    change(outside, subscribe.values(id="late"))
    open_sealed_vault(database, location)
    assert database.read(lambda c: subscriptions.is_as_left(c, "old"))
    assert not database.read(lambda c: subscriptions.is_as_left(c, "late"))
    assert found_in(database) == [("inserted", "subscriptions/late")]
    assert role_of(database, token) == "operator"


def test_a_change_that_was_undone_leaves_the_register_as_it_was(database: Database, write: Write, token: str) -> None:
    def fails(connection: Connection) -> None:
        tokens.revoke(connection, "n8n", "kunde-a", NOW)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write(fails)
    assert role_of(database, token) == "operator"
    make(write, "another")
    assert found_in(database) == []


def test_who_has_not_the_data_key_changes_no_rights(
    location: str, database: Database, token: str, tmp_path: Path
) -> None:
    database.close()
    for key in tmp_path.glob("kontor.key*"):
        key.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "")
        patch.setenv("XDG_DATA_HOME", str(tmp_path / "nowhere"))
        again = open_database(location)
        try:
            with pytest.raises(InputError):
                again.write(lambda c: tokens.revoke(c, "n8n", "kunde-a", NOW)).result()
            assert again.read(lambda c: c.execute(text("SELECT revoked_at FROM tokens")).scalar()) is None
        finally:
            again.close()


def test_a_policy_that_was_changed_or_deleted_allows_no_payment(
    database: Database, write: Write, outside: Engine
) -> None:
    strict = Policy().changed({"approve_above": 100}, ())
    write(lambda c: workspaces.save_policy(c, "kunde-a", strict, NOW))
    money = Money(Decimal(1), "EUR", "DE")
    before = rows(outside, policies)[0]
    for harm in (
        update(policies).values(settings="{}"),
        delete(policies),
        insert(policies).values({**before, "settings": "{}"}),
        update(policies).values(changed_at=1.0, settings=before["settings"]),
    ):
        change(outside, harm)
        found = database.read(lambda c: workspaces.find_policy(c, "kunde-a"))
        assert found.refusal(money, True, True) is not None
        assert [subject for _, subject in found_in(database)] == ["policies/kunde-a"]
    change(outside, update(policies).values(before))
    assert database.read(lambda c: workspaces.find_policy(c, "kunde-a")) == strict
    write(lambda c: workspaces.save_policy(c, "kunde-a", Policy(), NOW))
    change(outside, update(policies).values(before))
    assert database.read(lambda c: workspaces.find_policy(c, "kunde-a")).refusal(money, True, True) is not None
    write(lambda c: workspaces.save_policy(c, "kunde-a", strict, NOW))
    assert database.read(lambda c: workspaces.find_policy(c, "kunde-a")) == strict, "an admin has set it anew"
    assert found_in(database) == []


def test_a_policy_that_was_inserted_counts_as_none_that_an_admin_has_set(database: Database, outside: Engine) -> None:
    open_sealed_vault(database, str(database.engine.get_execution_options()["kontor_location"]))
    change(outside, insert(policies).values(workspace="kunde-b", settings='{"agents":["pay"]}', changed_at=1.0))
    assert database.read(lambda c: workspaces.find_policy(c, "kunde-b")).agents == ()
    assert database.read(lambda c: workspaces.find_policy(c, "kunde-c")) == Policy()


def asked(run: str) -> Approval:
    people = ("n8n", "Ada", NOW, NOW + timedelta(days=1))
    return Approval(run, "kunde-a", "2:digest", "open", ("amount",), *people, None, None, None, None, None, "")


@pytest.mark.parametrize(
    "edit",
    [
        {"state": "approved", "decided_by": "boss", "decided_person": "Eve", "decided_at": 1.0},
        {"asked_person": "Somebody else"},
        {"digest": "2:another"},
        {"reasons": "equal"},
        {"expires_at": 9e9},
    ],
    ids=lambda edit: next(iter(edit)),
)
def test_an_approval_that_was_edited_is_used_by_nobody(
    database: Database, write: Write, outside: Engine, edit: dict[str, Any]
) -> None:
    write(lambda c: approvals.ask(c, asked("r1")))
    change(outside, update(approvals_table).values(edit))
    found = database.read(lambda c: approvals.find(c, "r1"))
    assert found.state == "expired"
    assert not write(lambda c: approvals.decide(c, found, "approved", None, None, NOW))
    assert not write(lambda c: approvals.use(c, "r1", "2:digest"))
    assert not write(lambda c: approvals.use(c, "r1", "2:another"))
    assert database.read(lambda c: approvals.in_state(c, "approved")) == []
    assert found_in(database) == [("altered", "approvals/r1")]


def test_an_approval_that_was_used_is_not_used_again(database: Database, write: Write, outside: Engine) -> None:
    write(lambda c: approvals.ask(c, asked("r1")))
    write(lambda c: approvals.decide(c, approvals.find(c, "r1"), "approved", None, None, NOW))
    given = rows(outside, approvals_table)[0]
    assert write(lambda c: approvals.use(c, "r1", "2:digest"))
    assert found_in(database) == []
    change(outside, update(approvals_table).values(given))
    assert not write(lambda c: approvals.use(c, "r1", "2:digest"))
    assert database.read(lambda c: approvals.approved_unplanned(c, 9, NOW)) == []
    assert found_in(database) == [("inserted", "approvals/r1")]


def test_what_a_run_would_send_opens_for_no_other_run(database: Database, write: Write, outside: Engine) -> None:
    for number in ("1", "2"):
        run = NewRun(number * 32, "kunde-a", None, "f", "pay", "2:d", f'{{"amount":{number}}}'.encode(), "owner")
        write(lambda c, run=run: runs.insert(c, run, "awaiting_approval", NOW))
    first, second = (row["inputs"] for row in rows(outside, runs_table))
    change(outside, update(runs_table).where(runs_table.c.id == "1" * 32).values(inputs=second))
    found = database.read(lambda c: runs.find(c, "kunde-a", "1" * 32))
    assert (found.inputs, found.is_altered) == ({}, True)
    change(outside, update(runs_table).where(runs_table.c.id == "1" * 32).values(inputs=first))
    assert database.read(lambda c: runs.find(c, "kunde-a", "1" * 32)).inputs == {"amount": 1}


def test_an_api_key_cannot_be_moved_to_another_workspace_or_address(
    location: str, database: Database, write: Write, outside: Engine
) -> None:
    vault = open_sealed_vault(database, location)
    ids = [
        write(lambda c, n=n: credentials.save(c, vault, Credential("https://a.example", n), NOW, n, chosen=True))
        for n in ("kunde-a", "kunde-b")
    ]
    before = {row["id"]: row for row in rows(outside, credentials_table)}
    mine, other = (before[id] for id in ids)
    for harm in (
        {"workspace": "kunde-b"},
        {"base_url": "https://evil.example"},
        {"sealed_key": other["sealed_key"]},
        {"wire": '{"payment":{"body":{}}}'},
        {"revoked_at": NOW},
    ):
        change(outside, update(credentials_table).where(credentials_table.c.id == ids[0]).values(harm))
        with pytest.raises(KontorError):
            database.read(lambda c: credentials.open_credential(c, vault, ids[0]))
        assert database.read(lambda c: credentials.chosen(c, "kunde-b")).id == ids[1]
        change(outside, update(credentials_table).where(credentials_table.c.id == ids[0]).values(mine))
        assert database.read(lambda c: credentials.open_credential(c, vault, ids[0])).api_key == "kunde-a"
    fingerprint = keys_table.c.fingerprint == mine["fingerprint"]
    for edit in (update(keys_table).where(fingerprint).values(workspace="kunde-b"), delete(keys_table)):
        change(outside, edit)
        with pytest.raises(Unverified):
            database.read(lambda c: workspaces.of_key(c, mine["fingerprint"]))
        with pytest.raises(Unverified):
            write(lambda c: workspaces.attach(c, mine["fingerprint"], "kunde-c", NOW))
        with pytest.raises(Unverified):
            database.read(lambda c: workspaces.check_organization(c, ["org"], "kunde-c"))


def test_a_workspace_is_not_made_by_writing_its_row(database: Database, write: Write, outside: Engine) -> None:
    write(lambda c: workspaces.create(c, "kunde-a", NOW))
    change(outside, insert(workspaces_table).values(name="mine", made_at=1.0))
    assert not database.read(lambda c: workspaces.exists(c, "mine"))
    change(outside, delete(workspaces_table))
    assert not database.read(lambda c: workspaces.exists(c, "kunde-a"))
    assert found_in(database) == [("missing", "workspaces/kunde-a")]
