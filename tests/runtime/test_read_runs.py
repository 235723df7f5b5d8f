"""Reads are light runs: who read what and at which cost, without what was read, written in batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select, text

from connector import Connector, Credential
from connector.core.callers import Actor, Invoker
from connector.core.errors import KontorError, NotFound
from connector.core.writes.policy import Policy
from connector.runtime.records import read_log
from connector.runtime.session import Session
from connector.sandbox.banking.demo import HOUSE_BANK
from connector.store import Database
from connector.store.rates.rate_windows import exchange_in
from connector.store.runs import reads
from connector.store.schema import read_runs as table
from connector.store.trust import workspaces
from connector.store.trust.sealing import is_sealed
from tests.support.running_sandbox import RunningSandbox

BY = Invoker("http", "10.0.0.7", Actor("n8n", "operator", "default", person="Ada"))


def a_read(at: datetime) -> reads.NewRead:
    return reads.NewRead("f" * 16, "list_payments", BY, {}, at, at, "done", {"cost": 0})


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
def test_a_read_from_python_or_the_command_line_is_a_run_from_the_first_on(
    sandbox: RunningSandbox, tmp_path: Any, face: Any
) -> None:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        session.invoke("list_bank_accounts", invoker=Invoker(face))
        assert [run.face for run in session.runs(kind="read")] == [face]
    connector.close()


def test_a_thousand_reads_are_written_in_few_batches(
    connector: Connector, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    insert = reads.insert

    def counted(connection: Connection, reads: Any) -> None:
        batches.append(len(reads))
        insert(connection, reads)

    monkeypatch.setattr(reads, "insert", counted)
    now = datetime.now(UTC)
    for _ in range(1000):
        connector.shared.reads.record("f" * 16, "list_payments", BY, session.clock, {"a": 1}, now, "done", {"cost": 0})
    assert len(session.runs(kind="read", limit=2000)) == sum(batches) == 1000
    assert len(batches) < 100


def test_a_read_waits_for_no_transaction(
    connector: Connector, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert connector.database
    session.invoke("list_bank_accounts", invoker=BY)
    assert session.runs(kind="read")
    waited: list[str] = []
    write = Database.write

    def counted(database: Database, change: Any, **more: Any) -> Any:
        if getattr(change, "func", None) is not exchange_in:  # a permit is waited for, as it must be
            waited.append("write")
        return write(database, change, **more)

    monkeypatch.setattr(Database, "write", counted)
    session.invoke("list_bank_accounts", invoker=BY)
    assert waited == []


def test_reads_beyond_the_bound_are_dropped_while_the_database_is_away(
    connector: Connector, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_log, "MAX_WAITING", 5)
    monkeypatch.setattr(Database, "write_later", lambda *given: None)
    for _ in range(20):
        session.invoke("list_bank_accounts", invoker=BY)
    assert len(connector.shared.reads._waiting) == 5


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
    rows = connector.database.write(lambda c: reads.rows_of(c, [("default", a_read(datetime.now(UTC)))])).result()
    for _ in range(2):
        connector.database.write(lambda c: reads.insert(c, rows)).result()
    assert connector.database.read(lambda c: len(reads.listed(c, "default"))) == 1


def test_reads_are_deleted_after_thirty_days_or_when_the_workspace_says(connector: Connector) -> None:
    now = datetime.now(UTC)

    def fill(connection: Connection) -> None:
        for workspace in ("kurz", "default"):
            for days in (1, 5, 29, 31):
                read = a_read(now - timedelta(days=days))
                reads.insert(connection, reads.rows_of(connection, [(workspace, read)]))
        workspaces.save_policy(connection, "kurz", Policy(keep_reads_days=2), now)

    connector.database.write(fill).result()
    assert connector.database.write(lambda c: reads.delete_old(c, now)).result() == 4
    left = connector.database.read(
        lambda c: [tuple(row) for row in c.execute(text("SELECT workspace, count(*) FROM read_runs GROUP BY 1"))]
    )
    assert sorted(left) == [("default", 3), ("kurz", 1)]


def test_a_key_that_no_workspace_has_leaves_nothing_on_a_host_of_several_customers(
    sandbox: RunningSandbox, data: str
) -> None:
    connector = Connector(data, separate_keys=True)
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        session.invoke("list_bank_accounts", invoker=BY)
        rows = connector.database.read(lambda c: c.execute(select(table)).all())
    connector.close()
    assert rows == []
