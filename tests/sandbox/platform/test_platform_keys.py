from __future__ import annotations

import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT, SAVINGS
from tests.support.running_sandbox import RunningSandbox


@pytest.mark.conforms("ledger_error.message", "endpoints.key_header", "authentication.missing_key")
def test_a_call_without_a_key_is_told_which_header_line_to_send(sandbox: RunningSandbox) -> None:
    answer = sandbox.with_key(None).get("/v2/banking/accounts")
    assert answer.status_code == 401
    assert "x-api-key: " in answer.json()["message"]
    assert answer.json()["error"]


@pytest.mark.conforms("authentication.key")
def test_an_unknown_key_is_refused(sandbox: RunningSandbox) -> None:
    answer = sandbox.with_key("guessed").get("/v2/banking/accounts")
    assert answer.status_code == 401
    assert set(answer.json()) == {"error"}


def test_both_keys_of_an_organisation_see_the_same(sandbox: RunningSandbox) -> None:
    first, second = (
        sandbox.api.get("/v2/banking/accounts"),
        sandbox.with_key("sandbox-key-2").get("/v2/banking/accounts"),
    )
    assert first.status_code == 200
    assert first.json() == second.json()


def test_another_organisation_sees_nothing_of_this_one(sandbox: RunningSandbox) -> None:
    stranger = sandbox.with_key("sandbox-poor-key")
    assert stranger.get("/v2/banking/accounts").json() == {"data": []}
    assert stranger.get("/v2/banking/payments").json() == {"data": []}
    assert stranger.get("/v2/banking/connections/111483902742913201").status_code == 404


def test_an_agency_key_reads_an_account_in_its_scope(sandbox: RunningSandbox) -> None:
    answer = sandbox.with_key("sandbox-agency-key").get("/v2/banking/transactions", params={"account_id": MAIN_ACCOUNT})
    assert answer.status_code == 200
    assert answer.json()["data"]


@pytest.mark.conforms("transaction.needs_account", "authentication.agency_keys")
def test_an_agency_key_is_refused_an_account_outside_its_scope(sandbox: RunningSandbox) -> None:
    agency = sandbox.with_key("sandbox-agency-key")
    for path in ("/v2/banking/transactions", "/v2/banking/transactions/1000000000000000000", "/v2/banking/payments"):
        answer = agency.get(path, params={"account_id": SAVINGS})
        assert answer.status_code == 403, path
        assert SAVINGS in answer.json()["error"]


def test_an_agency_key_sees_only_its_accounts_of_a_bank_connection(sandbox: RunningSandbox) -> None:
    agency = sandbox.with_key("sandbox-agency-key")
    answer = agency.get("/v2/banking/transactions", params={"connection_id": "111483902742913201"})
    assert {row["account_id"] for row in answer.json()["data"]} == {MAIN_ACCOUNT}
    listed = agency.get("/v2/banking/accounts").json()["data"]
    assert SAVINGS not in {row["id"] for row in listed}


def test_an_agency_key_is_refused_a_bank_connection_without_any_of_its_accounts(sandbox: RunningSandbox) -> None:
    assert sandbox.with_key("sandbox-agency-key").get("/v2/banking/connections/111483902742913203").status_code == 403


def test_no_key_text_stands_in_the_record_or_the_state(sandbox: RunningSandbox) -> None:
    sandbox.api.get("/v2/banking/accounts")
    sandbox.with_key("guessed-secret").get("/v2/banking/accounts")
    entries = sandbox.requests()
    assert [entry["key"] for entry in entries] == ["main", None]
    seen = str(entries) + str(sandbox.look("/state"))
    assert "sandbox-key" not in seen
    assert "guessed-secret" not in seen
