from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from connector.sandbox.banking.demo import (
    DISABLED,
    ENDING_SOON,
    EXPIRED,
    HOUSE_BANK,
    MAIN_ACCOUNT,
    PENDING,
    SAVINGS,
    UNFINISHED,
    WALLET,
)
from tests.support.running_sandbox import RunningSandbox


def _bank(sandbox: RunningSandbox, connection_id: str) -> dict[str, Any]:
    answer = sandbox.api.get(f"/v2/banking/connections/{connection_id}")
    assert answer.status_code == 200
    data: dict[str, Any] = answer.json()["data"]
    return data


@pytest.mark.conforms("bank_connection.fields")
def test_a_bank_connection_has_exactly_the_fields_described(sandbox: RunningSandbox) -> None:
    assert set(_bank(sandbox, HOUSE_BANK)) == {
        "id",
        "provider_name",
        "provider_code",
        "country_code",
        "status",
        "owner_user_id",
        "automatic_refresh",
        "next_refresh_possible_at",
        "created_at",
        "updated_at",
        "display_name",
        "logo_url",
        "consent_expires_at",
        "error_class",
        "error_message",
    }


@pytest.mark.conforms("bank_connection.status", "bank_connection_status.states")
def test_the_demo_banks_are_in_all_five_states(sandbox: RunningSandbox) -> None:
    states = {bank: _bank(sandbox, bank)["status"] for bank in (HOUSE_BANK, EXPIRED, DISABLED, PENDING, UNFINISHED)}
    assert list(states.values()) == ["active", "inactive", "disabled", "pending", "pending_connect"]


def test_one_consent_ends_in_six_days_and_one_has_ended(sandbox: RunningSandbox) -> None:
    now = datetime.fromisoformat(sandbox.look("/state")["now"])
    soon = datetime.fromisoformat(_bank(sandbox, ENDING_SOON)["consent_expires_at"])
    assert timedelta(days=5) < soon - now <= timedelta(days=6)
    assert datetime.fromisoformat(_bank(sandbox, EXPIRED)["consent_expires_at"]) < now


@pytest.mark.conforms("bank_connection.owner", "versioning.null_owner")
def test_an_old_bank_connection_has_no_owner_until_it_is_reconnected(sandbox: RunningSandbox) -> None:
    old = _bank(sandbox, ENDING_SOON)
    assert old["owner_user_id"] is None
    assert old["created_at"] < "2026-05-26"
    sandbox.order(f"/bank-connections/{ENDING_SOON}/reconnect")
    assert _bank(sandbox, ENDING_SOON)["owner_user_id"]


def test_an_unknown_bank_connection_is_404(sandbox: RunningSandbox) -> None:
    assert sandbox.api.get("/v2/banking/connections/1").status_code == 404


@pytest.mark.conforms("bank_account.fields")
def test_an_account_has_exactly_the_fields_described(sandbox: RunningSandbox) -> None:
    account = sandbox.api.get("/v2/banking/accounts").json()["data"][0]
    assert set(account) == {
        "can_hide",
        "id",
        "name",
        "nature",
        "balance",
        "currency_code",
        "created_at",
        "updated_at",
        "extra",
    }
    assert set(account["extra"]) == {"iban", "holder_name", "transactions_count"}


def _ids(sandbox: RunningSandbox, **query: str) -> set[str]:
    return {account["id"] for account in sandbox.api.get("/v2/banking/accounts", params=query).json()["data"]}


@pytest.mark.conforms("bank_accounts.filters", "bank_accounts.able_to_pay")
def test_accounts_are_filtered_by_api_by_bank_connection_and_by_payments(sandbox: RunningSandbox) -> None:
    everything = _ids(sandbox)
    assert _ids(sandbox, api="openbanking") == {WALLET}
    assert _ids(sandbox, api="partner") == everything - {WALLET}
    assert _ids(sandbox, connection_id=HOUSE_BANK) == {MAIN_ACCOUNT, SAVINGS}
    assert _ids(sandbox, payments_only="true") == everything - {WALLET}
    assert _ids(sandbox, payments_only="false") == everything
    assert _ids(sandbox, api="openbanking", payments_only="true") == set()
    assert sandbox.api.get("/v2/banking/accounts", params={"connection_id": "1"}).status_code == 404


def _counts(sandbox: RunningSandbox) -> tuple[int, int]:
    account = next(
        account for account in sandbox.api.get("/v2/banking/accounts").json()["data"] if account["id"] == MAIN_ACCOUNT
    )
    counts = account["extra"]["transactions_count"]
    return counts["posted"], counts["pending"]


@pytest.mark.conforms("bank_account.fields")
def test_the_counts_follow_the_stored_transactions(sandbox: RunningSandbox) -> None:
    listed = sandbox.api.get("/v2/banking/transactions", params={"account_id": MAIN_ACCOUNT}).json()["data"]
    posted = sum(row["status"] == "posted" for row in listed)
    pending = sum(row["status"] == "pending" for row in listed)
    assert pending > 0
    assert _counts(sandbox) == (posted, pending)
    new = sandbox.order("/transactions", status="pending")["data"][0]
    assert _counts(sandbox) == (posted, pending + 1)
    sandbox.order(f"/transactions/{new['id']}", status="posted")
    assert _counts(sandbox) == (posted + 1, pending)
