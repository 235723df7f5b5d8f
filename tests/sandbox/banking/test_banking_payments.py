from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from connector.sandbox.banking.demo import (
    ENDING_SOON,
    EXPIRED_ACCOUNT,
    HOUSE_BANK,
    MAIN_ACCOUNT,
    SAVINGS,
    SECOND_ACCOUNT,
    WALLET,
)
from connector.sandbox.banking.sepa import german_iban, is_iban
from tests.support.running_sandbox import RunningSandbox

PATH = "/v2/banking/payments"
BODY: dict[str, Any] = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89 3704 0044 0532 0130 00",
    "amount": 1234.56,
    "currency_code": "EUR",
    "description": "Rechnung 4711",
    "reference": "K-1",
    "end_to_end_id": "NL-1",
    "template_identifier": "SEPA",
    "custom_fields": {"kontor_key": "run-1/step-2"},
}
FIELDS = {
    "id",
    "organization_id",
    "status",
    "raw_provider_status",
    "connection_id",
    "account_id",
    "provider_code",
    "provider_name",
    "template_identifier",
    "amount",
    "currency_code",
    "creditor_name",
    "creditor_iban",
    "debtor_iban",
    "end_to_end_id",
    "description",
    "reference",
    "created_at",
    "updated_at",
}


def _list(sandbox: RunningSandbox, **query: str) -> list[dict[str, Any]]:
    answer = sandbox.api.get(PATH, params=query)
    assert answer.status_code == 200, answer.text
    data: list[dict[str, Any]] = json.loads(answer.text, parse_float=Decimal)["data"]
    return data


@pytest.mark.conforms("payment.fields", "payment.custom_fields", "payment.initiation")
def test_a_new_payment_is_listed_readable_and_carries_its_custom_fields(sandbox: RunningSandbox) -> None:
    answer = sandbox.api.post(PATH, json=BODY)
    assert answer.status_code == 201
    payment = json.loads(answer.text, parse_float=Decimal)["data"]
    assert set(payment) == FIELDS | {"custom_fields"}
    assert payment["custom_fields"] == BODY["custom_fields"]
    assert (payment["status"], payment["amount"]) == ("initiated", Decimal("1234.56"))
    assert payment["creditor_iban"] == "DE89370400440532013000"
    assert payment["debtor_iban"] == sandbox.world.banking.accounts[MAIN_ACCOUNT].iban
    assert _list(sandbox)[0] == payment
    assert json.loads(sandbox.api.get(f"{PATH}/{payment['id']}").text, parse_float=Decimal) == {"data": payment}


@pytest.mark.conforms("payment.custom_fields")
def test_custom_fields_are_absent_when_none_were_given(sandbox: RunningSandbox) -> None:
    body = {name: value for name, value in BODY.items() if name != "custom_fields"}
    assert set(sandbox.api.post(PATH, json=body).json()["data"]) == FIELDS


def test_two_equal_orders_are_two_payments(sandbox: RunningSandbox) -> None:
    first, second = (sandbox.api.post(PATH, json=BODY).json()["data"]["id"] for _ in range(2))
    assert int(second) > int(first) > 2**53


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("account_id", None),
        ("creditor_name", None),
        ("creditor_name", "x" * 71),
        ("creditor_iban", None),
        ("creditor_iban", "DE89370400440532013001"),
        ("creditor_iban", "DE8937040044053201300"),
        ("creditor_iban", "89370400440532013000"),
        ("amount", None),
        ("amount", 0),
        ("amount", -1),
        ("amount", 1.005),
        ("amount", "12.00"),
        ("amount", True),
        ("amount", 1e15),
        ("currency_code", "USD"),
        ("template_identifier", "SWIFT"),
        ("custom_fields", ["a"]),
        ("description", 5),
    ],
)
def test_a_wrong_property_is_refused_by_name_and_nothing_is_paid(
    sandbox: RunningSandbox, name: str, value: Any
) -> None:
    before = len(sandbox.world.banking.payments)
    answer = sandbox.api.post(PATH, json={**BODY, name: value})
    assert answer.status_code == 400
    assert name in answer.json()["error"]
    assert len(sandbox.world.banking.payments) == before
    assert sandbox.requests()[-1]["acted"] is False


def test_only_accounts_that_can_pay_pay(sandbox: RunningSandbox) -> None:
    assert sandbox.api.post(PATH, json={**BODY, "account_id": "1"}).status_code == 404
    assert sandbox.api.post(PATH, json={**BODY, "account_id": WALLET}).status_code == 400
    assert sandbox.api.post(PATH, json={**BODY, "account_id": EXPIRED_ACCOUNT}).status_code == 400
    assert sandbox.api.post(PATH, json={**BODY, "account_id": SECOND_ACCOUNT}).status_code == 201


@pytest.mark.conforms("authentication.agency_keys")
def test_an_agency_key_pays_only_within_its_scope(sandbox: RunningSandbox) -> None:
    agency = sandbox.with_key("sandbox-agency-key")
    assert agency.post(PATH, json={**BODY, "account_id": SAVINGS}).status_code == 403
    assert agency.post(PATH, json=BODY).status_code == 201


def test_an_agency_key_does_not_see_payments_beyond_its_scope(sandbox: RunningSandbox) -> None:
    agency = sandbox.with_key("sandbox-agency-key")
    hidden = sandbox.api.post(PATH, json={**BODY, "account_id": SAVINGS}).json()["data"]["id"]
    assert agency.get(f"{PATH}/{hidden}").status_code == 403
    assert hidden not in {payment["id"] for payment in agency.get(PATH).json()["data"]}
    assert hidden in {payment["id"] for payment in sandbox.api.get(PATH).json()["data"]}


@pytest.mark.conforms("payments.sort")
def test_the_newest_payment_comes_first_by_default(sandbox: RunningSandbox) -> None:
    created = [payment["created_at"] for payment in _list(sandbox)]
    assert len(created) == 13
    assert created == sorted(created, reverse=True)
    assert _list(sandbox, sort="date") == _list(sandbox)


@pytest.mark.conforms("payments.sort")
def test_sorted_by_id_payments_continue_after_the_cursor(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, sort="id")
    ids = [row["id"] for row in rows]
    assert [int(id) for id in ids] == sorted(int(id) for id in ids)
    assert ids != sorted(ids)
    assert _list(sandbox, sort="id", from_id=ids[4]) == rows[5:]
    assert _list(sandbox, from_id=ids[4]) == _list(sandbox)


@pytest.mark.conforms("payments.filters")
def test_payments_are_filtered_by_bank_connection_and_account(sandbox: RunningSandbox) -> None:
    assert {payment["connection_id"] for payment in _list(sandbox, connection_id=ENDING_SOON)} == {ENDING_SOON}
    assert {payment["account_id"] for payment in _list(sandbox, account_id=MAIN_ACCOUNT)} == {MAIN_ACCOUNT}
    assert _list(sandbox, connection_id=HOUSE_BANK, account_id=SECOND_ACCOUNT) == []
    assert _list(sandbox, connection_id="__all__", account_id="__all__") == _list(sandbox)
    assert sandbox.api.get(PATH, params={"connection_id": "1"}).status_code == 404


@pytest.mark.conforms("payments.filters")
def test_the_days_of_creation_are_inclusive(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, sort="id")
    first, last = rows[3]["created_at"][:10], rows[8]["created_at"][:10]
    payments = _list(sandbox, sort="id", created_from=first, created_to=last)
    assert payments == [row for row in rows if first <= row["created_at"][:10] <= last]
    assert rows[3] in payments
    assert rows[8] in payments


@pytest.mark.conforms("payments.limit", "constants.empty_limit")
def test_a_limit_cuts_the_list_and_an_empty_one_does_not(sandbox: RunningSandbox) -> None:
    assert _list(sandbox, limit="3") == _list(sandbox)[:3]
    assert len(_list(sandbox, limit="")) == 13


def test_an_unknown_payment_is_404(sandbox: RunningSandbox) -> None:
    assert sandbox.api.get(f"{PATH}/1").status_code == 404


def _step(sandbox: RunningSandbox, payment_id: str) -> str:
    status: str = sandbox.order(f"/payments/{payment_id}/step")["data"]["status"]
    return status


@pytest.mark.conforms("payment_status.after_confirmation", "payment_status.authorizing_to_processing")
def test_a_payment_walks_step_by_step_to_settled(sandbox: RunningSandbox) -> None:
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    way = [_step(sandbox, payment_id) for _ in range(5)]
    assert way == ["initiated_info_required", "authorizing", "processing", "executed", "settled"]
    assert sandbox.try_order(f"/payments/{payment_id}/step").status_code == 409


@pytest.mark.conforms("payment.template")
def test_an_instant_payment_takes_the_short_way(sandbox: RunningSandbox) -> None:
    body = {**BODY, "template_identifier": "SEPA_INSTANT"}
    payment_id = sandbox.api.post(PATH, json=body).json()["data"]["id"]
    assert [_step(sandbox, payment_id) for _ in range(3)] == ["authorizing", "processing", "settled"]


@pytest.mark.conforms("payments.kept_by_webhook", "payment.live_status")
def test_the_list_and_the_live_status_agree_after_each_step(sandbox: RunningSandbox) -> None:
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    sandbox.order(f"/payments/{payment_id}", status="authorized", raw_provider_status="ACTC")
    live = sandbox.api.get(f"{PATH}/{payment_id}").json()["data"]
    assert (live["status"], live["raw_provider_status"]) == ("authorized", "ACTC")
    assert sandbox.api.get(PATH).json()["data"][0] == live


@pytest.mark.conforms("payment_status.other_transitions")
@pytest.mark.parametrize("end", ["failed", "rejected"])
@pytest.mark.parametrize(
    "status", ["initiated", "initiated_info_required", "authorizing", "authorized", "processing", "executed"]
)
def test_every_status_but_a_final_one_can_end_in_failure(sandbox: RunningSandbox, status: str, end: str) -> None:
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    if status != "initiated":
        sandbox.order(f"/payments/{payment_id}", status=status)
    assert sandbox.order(f"/payments/{payment_id}", status=end)["data"]["status"] == end


@pytest.mark.conforms("payment_status.settled_is_final")
@pytest.mark.parametrize("end", ["settled", "failed", "rejected"])
def test_a_final_status_stays(sandbox: RunningSandbox, end: str) -> None:
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    sandbox.order(f"/payments/{payment_id}", status=end)
    for other in ("processing", "settled", "failed", "rejected"):
        assert sandbox.try_order(f"/payments/{payment_id}", {"status": other}).status_code == 409


def test_a_status_never_goes_back_and_must_be_known(sandbox: RunningSandbox) -> None:
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    sandbox.order(f"/payments/{payment_id}", status="processing")
    for other in ("initiated", "authorizing", "processing", "paid"):
        assert sandbox.try_order(f"/payments/{payment_id}", {"status": other}).status_code == 409


@pytest.mark.conforms("transaction.payment_id")
def test_a_settled_payment_appears_as_a_transaction_of_its_account(sandbox: RunningSandbox) -> None:
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    sandbox.order(f"/payments/{payment_id}", status="executed")
    assert sandbox.world.banking.accounts[MAIN_ACCOUNT].transactions[-1].payment_id is None
    sandbox.order(f"/payments/{payment_id}", status="settled")
    booked = sandbox.world.banking.accounts[MAIN_ACCOUNT].transactions[-1]
    assert (booked.payment_id, booked.amount) == (payment_id, Decimal("-1234.56"))


def test_with_auto_payments_the_clock_moves_a_payment_to_settled(sandbox: RunningSandbox) -> None:
    sandbox.order("/clock", speed=0)
    sandbox.order("/settings", auto_payments=True)
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    created = sandbox.world.banking.payments[payment_id].created_at
    sandbox.order("/clock", advance=3)
    assert sandbox.world.banking.payments[payment_id].status == "initiated_info_required"
    sandbox.order("/clock", advance=3600)
    payment = sandbox.world.banking.payments[payment_id]
    assert (payment.status, payment.updated_at) == ("settled", created + timedelta(seconds=96))


def test_without_auto_payments_time_alone_moves_nothing(sandbox: RunningSandbox) -> None:
    payment_id = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    sandbox.order("/clock", advance=86400)
    assert sandbox.world.banking.payments[payment_id].status == "initiated"


def test_iban_check_digits() -> None:
    assert is_iban("DE89370400440532013000")
    assert is_iban("NL91ABNA0417164300")
    assert german_iban(37040044, 532013000) == "DE89370400440532013000"
    assert not is_iban("DE89370400440532013010")
    assert not is_iban("")
