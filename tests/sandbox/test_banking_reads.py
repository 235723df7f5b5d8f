from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from service_desk import Desk

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


def _bank(desk: Desk, connection_id: str) -> dict[str, Any]:
    answer = desk.api.get(f"/v2/banking/connections/{connection_id}")
    assert answer.status_code == 200
    data: dict[str, Any] = answer.json()["data"]
    return data


@pytest.mark.conforms("bank_connection.fields")
def test_a_bank_connection_has_exactly_the_fields_described(desk: Desk) -> None:
    assert set(_bank(desk, HOUSE_BANK)) == {
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
def test_the_demo_banks_are_in_all_five_states(desk: Desk) -> None:
    states = {one: _bank(desk, one)["status"] for one in (HOUSE_BANK, EXPIRED, DISABLED, PENDING, UNFINISHED)}
    assert list(states.values()) == ["active", "inactive", "disabled", "pending", "pending_connect"]


def test_one_consent_ends_in_six_days_and_one_has_ended(desk: Desk) -> None:
    now = datetime.fromisoformat(desk.look("/state")["now"])
    soon = datetime.fromisoformat(_bank(desk, ENDING_SOON)["consent_expires_at"])
    assert timedelta(days=5) < soon - now <= timedelta(days=6)
    assert datetime.fromisoformat(_bank(desk, EXPIRED)["consent_expires_at"]) < now


@pytest.mark.conforms("bank_connection.owner", "versioning.null_owner")
def test_an_old_bank_connection_has_no_owner_until_it_is_reconnected(desk: Desk) -> None:
    old = _bank(desk, ENDING_SOON)
    assert old["owner_user_id"] is None
    assert old["created_at"] < "2026-05-26"
    desk.order(f"/bank-connections/{ENDING_SOON}/reconnect")
    assert _bank(desk, ENDING_SOON)["owner_user_id"]


def test_an_unknown_bank_connection_is_404(desk: Desk) -> None:
    assert desk.api.get("/v2/banking/connections/1").status_code == 404


@pytest.mark.conforms("bank_account.fields")
def test_an_account_has_exactly_the_fields_described(desk: Desk) -> None:
    account = desk.api.get("/v2/banking/accounts").json()["data"][0]
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


def _ids(desk: Desk, **query: str) -> set[str]:
    return {one["id"] for one in desk.api.get("/v2/banking/accounts", params=query).json()["data"]}


@pytest.mark.conforms("bank_accounts.filters", "bank_accounts.able_to_pay")
def test_accounts_are_filtered_by_api_by_bank_connection_and_by_payments(desk: Desk) -> None:
    everything = _ids(desk)
    assert _ids(desk, api="openbanking") == {WALLET}
    assert _ids(desk, api="partner") == everything - {WALLET}
    assert _ids(desk, connection_id=HOUSE_BANK) == {MAIN_ACCOUNT, SAVINGS}
    assert _ids(desk, payments_only="true") == everything - {WALLET}
    assert _ids(desk, payments_only="false") == everything
    assert _ids(desk, api="openbanking", payments_only="true") == set()
    assert desk.api.get("/v2/banking/accounts", params={"connection_id": "1"}).status_code == 404


def _counts(desk: Desk) -> tuple[int, int]:
    account = next(one for one in desk.api.get("/v2/banking/accounts").json()["data"] if one["id"] == MAIN_ACCOUNT)
    counts = account["extra"]["transactions_count"]
    return counts["posted"], counts["pending"]


@pytest.mark.conforms("bank_account.fields")
def test_the_counts_follow_the_stored_transactions(desk: Desk) -> None:
    listed = desk.api.get("/v2/banking/transactions", params={"account_id": MAIN_ACCOUNT}).json()["data"]
    posted = sum(one["status"] == "posted" for one in listed)
    pending = sum(one["status"] == "pending" for one in listed)
    assert pending > 0
    assert _counts(desk) == (posted, pending)
    new = desk.order("/transactions", status="pending")["data"][0]
    assert _counts(desk) == (posted, pending + 1)
    desk.order(f"/transactions/{new['id']}", status="posted")
    assert _counts(desk) == (posted + 1, pending)
