"""Reads are light runs: who read what and at which cost, without what was read, written in batches."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from service_desk import Desk
from sqlalchemy import Connection, select, text
from store.postgres import postgres_server, postgres_url

from connector import Connector, Credential
from connector.core.call_source import Invoker
from connector.core.errors import KontorError, NotFound
from connector.core.policy import Policy
from connector.core.roles import Actor
from connector.runtime import read_log
from connector.runtime.session import Session
from connector.sandbox.banking.demo import HOUSE_BANK
from connector.store import Database, policies, read_runs
from connector.store.body_sealer import is_sealed
from connector.store.schema import read_runs as table

__all__ = ["postgres_server", "postgres_url"]

BY = Invoker("http", "10.0.0.7", Actor("n8n", "operator", "default", person="Ada"))


@pytest.fixture(params=["sqlite", "postgresql"])
def data(request: pytest.FixtureRequest, tmp_path: Any) -> str:
    return str(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def connector(desk: Desk, data: str) -> Iterator[Connector]:
    desk.order("/limits", limit=1_000_000)
    connector = Connector(data)
    yield connector
    connector.close()


@pytest.fixture
def session(connector: Connector, desk: Desk) -> Iterator[Session]:
    with connector.open(Credential(desk.url, "sandbox-key")) as session:
        yield session


def a_read(at: datetime) -> read_runs.NewRead:
    return read_runs.NewRead("f" * 16, "list_payments", BY, {}, at, at, "done", {"cost": 0})


def test_a_read_leaves_a_row_with_actor_face_inputs_cost_and_times_but_without_its_output(
    connector: Connector, session: Session
) -> None:
    before = datetime.now(UTC)
    session.invoke("list_bank_accounts", {"payments_only": True}, invoker=BY)
    (one,) = session.runs(kind="read")
    assert (one.kind, one.action, one.state, one.inputs) == (
        *("read", "list_bank_accounts", "done"),
        {"payments_only": True},
    )
    assert (one.actor, one.person, one.face, one.origin) == ("n8n", "Ada", "http", "10.0.0.7")
    assert one.outcome == {"cost": 0}
    assert one.digest
    assert before - timedelta(seconds=1) <= one.made_at <= one.changed_at <= datetime.now(UTC) + timedelta(seconds=1)
    assert session.find_run(one.id) == one


def test_reads_are_not_among_the_writes(session: Session) -> None:
    session.invoke("list_bank_accounts", invoker=BY)
    assert session.runs() == session.runs(kind="write") == []
    assert session.runs(kind="read", key="k") == []
    assert session.runs(kind="read", action="list_payments") == []
    assert len(session.runs(kind="read", action="list_bank_accounts", state="done")) == 1


def test_the_inputs_of_a_read_are_encrypted(connector: Connector, session: Session) -> None:
    session.invoke("list_bank_accounts", {"payments_only": True}, invoker=BY)
    stored = connector.database.read(lambda c: c.execute(select(table.c.inputs)).scalar_one())
    assert is_sealed(stored)
    assert "payments_only" not in str(stored)


def test_what_the_service_refuses_is_a_row_and_what_was_never_sent_is_none(session: Session) -> None:
    with pytest.raises(NotFound):
        session.invoke("get_payment", {"id": "999999999"}, invoker=BY)
    with pytest.raises(KontorError):
        session.invoke("get_payment", {}, invoker=BY)
    session.invoke("list_bank_accounts", dry_run=True, invoker=BY)
    (one,) = session.runs(kind="read")
    assert (one.state, one.outcome) == ("refused", {"kind": "not_found", "outcome": "refused"})


def test_a_free_call_that_reads_is_a_read(session: Session) -> None:
    session.invoke("call_api", {"method": "GET", "path": "/v2/banking/accounts"}, invoker=BY)
    assert [one.action for one in session.runs(kind="read")] == ["call_api"]


def test_dropdowns_and_polls_are_no_runs(connector: Connector, session: Session) -> None:
    assert connector.database
    session.options("bank_accounts", {})
    session.poll("new_transaction", {"connection_id": HOUSE_BANK}, start="all")
    session.poll("new_payment", start="all")
    assert session.runs(kind="read") == []


def test_what_kontor_reads_for_itself_is_no_run(session: Session) -> None:
    session.invoke("list_bank_accounts", invoker=Invoker("host"))
    assert session.runs(kind="read") == []


@pytest.mark.parametrize("face", ["python", "cli"])
def test_a_free_read_from_python_or_the_command_line_does_not_open_the_database(
    desk: Desk, tmp_path: Any, face: Any
) -> None:
    first = Connector(str(tmp_path))
    assert first.database
    first.close()
    connector = Connector(str(tmp_path))
    with connector.open(Credential(desk.url, "sandbox-key")) as session:
        session.invoke("list_bank_accounts", invoker=Invoker(face))
        assert not connector.is_open
        assert session.runs(kind="read") == []
        session.invoke("list_bank_accounts", invoker=Invoker(face))
        assert [one.face for one in session.runs(kind="read")] == [face], "now it is open"
    connector.close()


def test_a_thousand_reads_are_written_in_few_batches(
    connector: Connector, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    insert = read_runs.insert

    def counted(connection: Connection, reads: Any) -> None:
        batches.append(len(reads))
        insert(connection, reads)

    monkeypatch.setattr(read_runs, "insert", counted)
    now = datetime.now(UTC)
    for _ in range(1000):
        connector.reads.record("f" * 16, "list_payments", BY, session.clock, {"a": 1}, now, "done", {"cost": 0})
    assert len(session.runs(kind="read", limit=2000)) == sum(batches) == 1000
    assert len(batches) < 100


def test_a_read_waits_for_no_transaction(
    connector: Connector, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert connector.database
    session.invoke("list_bank_accounts", invoker=BY)
    assert session.runs(kind="read")
    waited: list[str] = []
    monkeypatch.setattr(connector._windows, "_opened", lambda: None)  # permits by a connection of their own
    monkeypatch.setattr(Database, "write", lambda *given, **more: waited.append("write"))
    session.invoke("list_bank_accounts", invoker=BY)
    assert waited == []


def test_reads_beyond_the_bound_are_dropped_while_the_database_is_away(
    connector: Connector, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_log, "MAX_WAITING", 5)
    monkeypatch.setattr(Database, "write_later", lambda *given: None)
    for _ in range(20):
        session.invoke("list_bank_accounts", invoker=BY)
    assert len(connector.reads._waiting) == 5


def test_reads_are_recorded_again_after_the_database_was_closed_or_could_not_be_asked(
    connector: Connector, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*given: Any) -> None:
        raise RuntimeError("the database is closed")

    with monkeypatch.context() as patch:
        patch.setattr(Database, "write_later", closed)
        session.invoke("list_bank_accounts", invoker=BY)
    session.invoke("list_bank_accounts", invoker=BY)
    assert len(session.runs(kind="read")) == 2
    connector.close()
    session.invoke("list_bank_accounts", invoker=BY)
    assert len(session.runs(kind="read")) == 3


def test_a_batch_that_is_written_again_leaves_each_read_once(connector: Connector) -> None:
    rows = connector.database.write(lambda c: read_runs.rows_of(c, [("default", a_read(datetime.now(UTC)))])).result()
    for _ in range(2):
        connector.database.write(lambda c: read_runs.insert(c, rows)).result()
    assert connector.database.read(lambda c: len(read_runs.listed(c, "default"))) == 1


def test_reads_are_deleted_after_thirty_days_or_when_the_workspace_says(connector: Connector) -> None:
    now = datetime.now(UTC)

    def fill(connection: Connection) -> None:
        for workspace in ("kurz", "default"):
            for days in (1, 5, 29, 31):
                read = a_read(now - timedelta(days=days))
                read_runs.insert(connection, read_runs.rows_of(connection, [(workspace, read)]))
        policies.save(connection, "kurz", Policy(keep_reads_days=2), now)

    connector.database.write(fill).result()
    assert connector.database.write(lambda c: read_runs.delete_old(c, now)).result() == 4
    left = connector.database.read(
        lambda c: [tuple(row) for row in c.execute(text("SELECT workspace, count(*) FROM read_runs GROUP BY 1"))]
    )
    assert sorted(left) == [("default", 3), ("kurz", 1)]


def test_a_key_that_no_workspace_has_leaves_nothing_on_a_host_of_several_customers(desk: Desk, data: str) -> None:
    connector = Connector(data, separate_keys=True)
    with connector.open(Credential(desk.url, "sandbox-key")) as session:
        session.invoke("list_bank_accounts", invoker=BY)
        rows = connector.database.read(lambda c: c.execute(select(table)).all())
    connector.close()
    assert rows == []
