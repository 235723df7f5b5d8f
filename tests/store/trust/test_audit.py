"""The audit log: whatever is edited, deleted or inserted afterwards is named, and writers wait for nobody."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, text

from connector.core.callers import Actor, CallSource
from connector.core.errors import InputError
from connector.store import Database, open_database
from connector.store.trust import audit, audit_chain
from connector.store.trust.audit_chain import ChainMoved, Finding

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
ADA = Actor("ada's token", "admin", "kunde-a", "Ada")
Write = Callable[[Callable[[Connection], Any]], Any]


@pytest.fixture(autouse=True)
def data_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KONTOR_DATA_KEY", Fernet.generate_key().decode())


def fill(write: Write, count: int, workspace: str | None = "kunde-a") -> None:
    def record(connection: Connection) -> None:
        for number in range(count):
            audit.record(
                connection,
                workspace=workspace,
                actor=ADA,
                face="http",
                origin="192.0.2.7",
                what="run.approved",
                subject=f"run-{number}",
                details={"amount": "12.50", "note": "Müller & Söhne"},
                now=NOW,
            )

    write(record)
    while write(audit_chain.seal):
        pass


def verdict(database: Database, anchor: str | None = None, workspace: str = "kunde-a") -> audit_chain.Verdict:
    return database.read(lambda connection: audit_chain.verify(connection, workspace, anchor))


def tamper(write: Write, statement: str, **values: Any) -> None:
    assert write(lambda connection: connection.execute(text(statement), values).rowcount)


def ids(database: Database) -> list[str]:
    return [one.id for one in database.read(lambda connection: audit.listed(connection, "kunde-a"))]


def test_an_entry_says_who_did_what_when_through_which_face_and_from_where(database: Database, write: Write) -> None:
    fill(write, 1)
    [one] = database.read(lambda connection: audit.listed(connection, "kunde-a"))
    assert (one.number, one.workspace, one.at) == (1, "kunde-a", NOW)
    assert (one.actor, one.person, one.face, one.origin) == ("ada's token", "Ada", "http", "192.0.2.7")
    assert (one.what, one.subject) == ("run.approved", "run-0")
    assert one.details == {"amount": "12.50", "note": "Müller & Söhne"}


def test_an_untouched_log_is_intact_and_each_workspace_has_a_chain_of_its_own(database: Database, write: Write) -> None:
    fill(write, 3)
    fill(write, 2, None)
    fill(write, 2)
    ours, whole_host = verdict(database), verdict(database, workspace=audit.HOST)
    assert (ours.entries, ours.finding) == (5, None)
    assert (whole_host.entries, whole_host.finding) == (2, None)
    assert ours.anchor is not None
    assert ours.anchor.startswith("5-")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("at", 1.5), ("actor", "mallory"), ("person", "Mallory"), ("face", "cli"), ("origin", "192.0.2.8")),
        *(("what", "run.rejected"), ("subject", "run-9"), ("details", '{"amount":"12.51"}'), ("mac", "0" * 64)),
        ("seal", "0" * 64),
    ],
)
@pytest.mark.parametrize("number", [1, 3, 5])
def test_a_single_edited_entry_is_named(database: Database, write: Write, column: str, value: Any, number: int) -> None:
    fill(write, 5)
    id = ids(database)[number - 1]
    tamper(write, f"UPDATE audit SET {column} = :value WHERE number = :number", value=value, number=number)
    assert verdict(database).finding == Finding("altered", number, id)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_a_single_deleted_entry_is_named(database: Database, write: Write, number: int) -> None:
    fill(write, 5)
    tamper(write, "DELETE FROM audit WHERE number = :number", number=number)
    assert verdict(database).finding == Finding("missing", number)


def test_a_deleted_last_entry_is_named(database: Database, write: Write) -> None:
    fill(write, 5)
    tamper(write, "DELETE FROM audit WHERE number = 5")
    assert verdict(database).finding == Finding("end", 5, until=5)
    fill(write, 1)
    assert verdict(database).finding == Finding("missing", 5)


COPY = "INSERT INTO audit SELECT 'f' || substr(id, 2), workspace, at, actor, person, face, origin, what, subject"


@pytest.mark.parametrize(
    ("copied", "reason", "number"),
    [
        ("details, mac, 6, seal FROM audit WHERE number = 3", "altered", 6),
        ("details, mac, NULL, NULL FROM audit WHERE number = 3", "inserted", 6),
        ("details, '', NULL, NULL FROM audit WHERE number = 3", "inserted", 6),
    ],
)
def test_a_single_inserted_entry_is_named_even_if_the_sealer_chained_it(
    database: Database, write: Write, copied: str, reason: str, number: int
) -> None:
    fill(write, 5)
    tamper(write, f"{COPY}, {copied}")
    write(audit_chain.seal)
    found = verdict(database).finding
    assert found is not None
    assert (found.reason, found.number) == (reason, number)


def test_an_entry_inserted_in_the_middle_is_named(database: Database, write: Write) -> None:
    fill(write, 5)
    for number in (5, 4):
        tamper(write, "UPDATE audit SET number = number + 1 WHERE number = :number", number=number)
    tamper(write, f"{COPY}, details, mac, 4, seal FROM audit WHERE number = 3")
    found = verdict(database).finding
    assert found is not None
    assert (found.reason, found.number) == ("altered", 4)


def test_two_entries_that_changed_places_are_named(database: Database, write: Write) -> None:
    fill(write, 5)
    for old, new in ((2, 99), (3, 2), (99, 3)):
        tamper(write, "UPDATE audit SET number = :new WHERE number = :old", old=old, new=new)
    found = verdict(database).finding
    assert found is not None
    assert (found.reason, found.number) == ("altered", 2)


def test_an_entry_taken_out_of_the_chain_does_not_come_back_at_its_end(database: Database, write: Write) -> None:
    fill(write, 5)
    tamper(write, "UPDATE audit SET number = NULL, seal = NULL WHERE number = 2")
    write(audit_chain.seal)
    assert verdict(database).finding == Finding("missing", 2)


def test_a_deleted_head_is_told_and_begins_no_new_chain(database: Database, write: Write) -> None:
    fill(write, 2)
    tamper(write, "DELETE FROM audit_heads")
    fill(write, 1)
    assert verdict(database).finding == Finding("head", None)


def test_an_anchor_shows_what_is_missing_at_the_end(database: Database, write: Write) -> None:
    fill(write, 3)
    before = verdict(database).anchor
    third = database.read(lambda connection: audit.listed(connection, "kunde-a"))[2].seal
    fill(write, 2)
    newest = verdict(database).anchor
    assert newest is not None
    assert verdict(database, before).finding is verdict(database, newest).finding is None
    tamper(write, "DELETE FROM audit WHERE number > 3")
    tamper(write, "UPDATE audit_heads SET number = 3, seal = :seal", seal=third)
    assert verdict(database).finding is None
    assert verdict(database, before).finding is None
    assert verdict(database, newest).finding == Finding("end", 4, until=5)
    assert verdict(database, newest.partition("-")[2]).finding == Finding("anchor", None)


def test_a_log_that_was_signed_with_another_key_is_not_intact(database: Database, write: Write) -> None:
    fill(write, 2)
    tamper(write, "UPDATE kontor_database SET audit_key = NULL")
    database.engine.update_execution_options(kontor_audit_key=None)
    found = verdict(database).finding
    assert found is not None
    assert (found.reason, found.number) == ("altered", 1)


def test_of_two_sealers_only_one_gets_on(database: Database, write: Write) -> None:
    fill(write, 1)
    write(lambda c: audit.record_by(c, CallSource("cli"), workspace="kunde-a", what="token.created", now=NOW))

    class Stale:
        """A connection whose view of the head is older than the head."""

        def __init__(self, connection: Connection) -> None:
            self._connection = connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self._connection, name)

        def execute(self, statement: Any, *more: Any) -> Any:
            if "audit_heads" in str(statement) and str(statement).startswith("UPDATE"):
                self._connection.execute(text("UPDATE audit_heads SET number = number + 1"))
            return self._connection.execute(statement, *more)

    with pytest.raises(ChainMoved):
        write(lambda connection: audit_chain.seal(Stale(connection)))  # type: ignore[arg-type]
    assert write(audit_chain.seal) == 1
    assert verdict(database).finding is None


def test_an_entry_is_committed_or_undone_with_its_change(database: Database, write: Write) -> None:
    def fails(connection: Connection) -> None:
        audit.record(connection, workspace="kunde-a", what="run.approved", now=NOW)
        raise KeyError

    with pytest.raises(KeyError):
        write(fails)
    fill(write, 1)
    assert (verdict(database).entries, verdict(database).finding) == (1, None)


def test_entries_are_paged_by_id_within_a_workspace(database: Database, write: Write) -> None:
    fill(write, 5)
    fill(write, 3, "kunde-b")
    first = database.read(lambda connection: audit.listed(connection, "kunde-a", limit=3))
    rest = database.read(lambda connection: audit.listed(connection, "kunde-a", first[-1].id))
    assert [one.number for one in (*first, *rest)] == [1, 2, 3, 4, 5]
    everything = database.read(lambda connection: audit.listed(connection, None, rest[0].id))
    assert [(one.workspace, one.number) for one in everything] == [
        *(("kunde-a", 5), ("kunde-b", 1), ("kunde-b", 2), ("kunde-b", 3)),
    ]
    with pytest.raises(InputError):
        database.read(lambda connection: audit.listed(connection, "kunde-b", first[0].id))


def test_texts_of_any_length_and_kind_are_kept_or_cut(database: Database, write: Write) -> None:
    details = {"why": "x" * 5000}
    write(
        lambda c: audit.record(
            c, workspace=None, what="w" * 500, subject="\0\ud800s" * 300, origin="o" * 300, details=details, now=NOW
        )
    )
    write(audit_chain.seal)
    [one] = database.read(lambda connection: audit.listed(connection, audit.HOST))
    assert (len(one.what), len(one.subject), len(one.origin)) == (64, 200, 100)
    assert "left_out" in one.details
    assert verdict(database, workspace=audit.HOST).finding is None


def test_the_key_that_signs_is_kept_encrypted_and_survives_a_restart(
    location: str, database: Database, write: Write
) -> None:
    fill(write, 2)
    stored = database.read(lambda c: c.execute(text("SELECT audit_key FROM kontor_database")).scalar_one())
    key = database.engine.get_execution_options()["kontor_audit_key"]
    assert key.hex() not in stored
    again = open_database(location)
    try:
        assert verdict(again).finding is None
    finally:
        again.close()


@pytest.mark.slow
def test_ten_thousand_entries_are_checked_in_a_fraction_of_the_time_of_writing_them(
    database: Database, write: Write
) -> None:
    began = time.process_time()
    fill(write, 10_000)
    written = time.process_time() - began
    began = time.process_time()
    checked = verdict(database)
    seconds = time.process_time() - began
    assert (checked.entries, checked.finding) == (10_000, None)
    assert seconds < written
