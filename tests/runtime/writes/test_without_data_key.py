"""A command line without the data key of a database that hosts use reads, and refuses what would be stored in clear."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from connector import Connector, Credential
from connector.core.errors import InputError
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.store import open_database
from connector.store.trust import sealing
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]

PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": "297.50",
    "description": "Rechnung V-88120",
}


@pytest.fixture
def session(sandbox: RunningSandbox, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    host = open_database(postgres_url)
    host.write(lambda connection: sealing.seal(connection, "a host was here")).result()
    host.close()
    monkeypatch.delenv("KONTOR_DATA_KEY")
    connector = Connector(postgres_url)
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        yield session
    connector.close()


def test_reading_goes_on(session: Session) -> None:
    assert session.invoke("list_bank_accounts", {}).output["items"]
    assert session.options("bank_accounts", {})


def test_a_payment_is_refused_before_anything_is_sent_or_stored(session: Session, sandbox: RunningSandbox) -> None:
    for key in ("lauf-7", None):
        with pytest.raises(InputError) as refused:
            session.invoke("initiate_payment", PAYMENT, key=key)
        assert (refused.value.reason, refused.value.field) == ("vault_key_missing", "KONTOR_DATA_KEY")
        for lang in ("en", "de"):
            assert "KONTOR_DATA_KEY" in refused.value.message.in_(lang)
            assert "/dev/urandom" in refused.value.remedy.in_(lang)
    assert [row for row in sandbox.requests() if row["method"] == "POST"] == []
    assert session.runs() == []


def test_where_no_host_has_given_a_data_key_writes_go_on_as_ever(
    sandbox: RunningSandbox, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KONTOR_DATA_KEY")
    connector = Connector(postgres_url)
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        first = session.invoke("initiate_payment", PAYMENT, key="lauf-7")
        assert session.invoke("initiate_payment", PAYMENT, key="lauf-7").output == first.output
    connector.close()
