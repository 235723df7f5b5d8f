from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from service_desk import Desk

from connector.sandbox.banking.demo import (
    ENDING_SOON,
    EXPIRED_ACCOUNT,
    HOUSE_BANK,
    MAIN_ACCOUNT,
    SAVINGS,
    SECOND_ACCOUNT,
    WALLET,
)
from connector.sandbox.banking.iban import german_iban, is_iban

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


def _list(desk: Desk, **query: str) -> list[dict[str, Any]]:
    answer = desk.api.get(PATH, params=query)
    assert answer.status_code == 200, answer.text
    data: list[dict[str, Any]] = json.loads(answer.text, parse_float=Decimal)["data"]
    return data


@pytest.mark.conforms("payment.fields", "payment.custom_fields", "payment.initiation")
def test_a_new_payment_is_listed_readable_and_carries_its_custom_fields(desk: Desk) -> None:
    answer = desk.api.post(PATH, json=BODY)
    assert answer.status_code == 201
    payment = json.loads(answer.text, parse_float=Decimal)["data"]
    assert set(payment) == FIELDS | {"custom_fields"}
    assert payment["custom_fields"] == BODY["custom_fields"]
    assert (payment["status"], payment["amount"]) == ("initiated", Decimal("1234.56"))
    assert payment["creditor_iban"] == "DE89370400440532013000"
    assert payment["debtor_iban"] == desk.world.banking.accounts[MAIN_ACCOUNT].iban
    assert _list(desk)[0] == payment
    assert json.loads(desk.api.get(f"{PATH}/{payment['id']}").text, parse_float=Decimal) == {"data": payment}


@pytest.mark.conforms("payment.custom_fields")
def test_custom_fields_are_absent_when_none_were_given(desk: Desk) -> None:
    body = {name: value for name, value in BODY.items() if name != "custom_fields"}
    assert set(desk.api.post(PATH, json=body).json()["data"]) == FIELDS


def test_two_equal_orders_are_two_payments(desk: Desk) -> None:
    first, second = (desk.api.post(PATH, json=BODY).json()["data"]["id"] for _ in range(2))
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
def test_a_wrong_property_is_refused_by_name_and_nothing_is_paid(desk: Desk, name: str, value: Any) -> None:
    before = len(desk.world.banking.payments)
    answer = desk.api.post(PATH, json={**BODY, name: value})
    assert answer.status_code == 400
    assert name in answer.json()["error"]
    assert len(desk.world.banking.payments) == before
    assert desk.record()[-1]["acted"] is False


def test_only_accounts_that_can_pay_pay(desk: Desk) -> None:
    assert desk.api.post(PATH, json={**BODY, "account_id": "1"}).status_code == 404
    assert desk.api.post(PATH, json={**BODY, "account_id": WALLET}).status_code == 400
    assert desk.api.post(PATH, json={**BODY, "account_id": EXPIRED_ACCOUNT}).status_code == 400
    assert desk.api.post(PATH, json={**BODY, "account_id": SECOND_ACCOUNT}).status_code == 201


@pytest.mark.conforms("authentication.agency_keys")
def test_an_agency_key_pays_only_within_its_scope(desk: Desk) -> None:
    agency = desk.with_key("sandbox-agency-key")
    assert agency.post(PATH, json={**BODY, "account_id": SAVINGS}).status_code == 403
    assert agency.post(PATH, json=BODY).status_code == 201


def test_an_agency_key_does_not_see_payments_beyond_its_scope(desk: Desk) -> None:
    agency = desk.with_key("sandbox-agency-key")
    hidden = desk.api.post(PATH, json={**BODY, "account_id": SAVINGS}).json()["data"]["id"]
    assert agency.get(f"{PATH}/{hidden}").status_code == 403
    assert hidden not in {one["id"] for one in agency.get(PATH).json()["data"]}
    assert hidden in {one["id"] for one in desk.api.get(PATH).json()["data"]}


@pytest.mark.conforms("payments.sort")
def test_the_newest_payment_comes_first_by_default(desk: Desk) -> None:
    created = [one["created_at"] for one in _list(desk)]
    assert len(created) == 13
    assert created == sorted(created, reverse=True)
    assert _list(desk, sort="date") == _list(desk)


@pytest.mark.conforms("payments.sort")
def test_sorted_by_id_payments_continue_after_the_cursor(desk: Desk) -> None:
    rows = _list(desk, sort="id")
    ids = [row["id"] for row in rows]
    assert [int(one) for one in ids] == sorted(int(one) for one in ids)
    assert ids != sorted(ids)
    assert _list(desk, sort="id", from_id=ids[4]) == rows[5:]
    assert _list(desk, from_id=ids[4]) == _list(desk)


@pytest.mark.conforms("payments.filters")
def test_payments_are_filtered_by_bank_connection_and_account(desk: Desk) -> None:
    assert {one["connection_id"] for one in _list(desk, connection_id=ENDING_SOON)} == {ENDING_SOON}
    assert {one["account_id"] for one in _list(desk, account_id=MAIN_ACCOUNT)} == {MAIN_ACCOUNT}
    assert _list(desk, connection_id=HOUSE_BANK, account_id=SECOND_ACCOUNT) == []
    assert _list(desk, connection_id="__all__", account_id="__all__") == _list(desk)
    assert desk.api.get(PATH, params={"connection_id": "1"}).status_code == 404


@pytest.mark.conforms("payments.filters")
def test_the_days_of_creation_are_inclusive(desk: Desk) -> None:
    rows = _list(desk, sort="id")
    first, last = rows[3]["created_at"][:10], rows[8]["created_at"][:10]
    found = _list(desk, sort="id", created_from=first, created_to=last)
    assert found == [row for row in rows if first <= row["created_at"][:10] <= last]
    assert rows[3] in found
    assert rows[8] in found


@pytest.mark.conforms("payments.limit", "constants.empty_limit")
def test_a_limit_cuts_the_list_and_an_empty_one_does_not(desk: Desk) -> None:
    assert _list(desk, limit="3") == _list(desk)[:3]
    assert len(_list(desk, limit="")) == 13


def test_an_unknown_payment_is_404(desk: Desk) -> None:
    assert desk.api.get(f"{PATH}/1").status_code == 404


def _step(desk: Desk, payment_id: str) -> str:
    status: str = desk.order(f"/payments/{payment_id}/step")["data"]["status"]
    return status


@pytest.mark.conforms("payment_status.after_confirmation", "payment_status.authorizing_to_processing")
def test_a_payment_walks_step_by_step_to_settled(desk: Desk) -> None:
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    way = [_step(desk, payment_id) for _ in range(5)]
    assert way == ["initiated_info_required", "authorizing", "processing", "executed", "settled"]
    assert desk.try_order(f"/payments/{payment_id}/step").status_code == 409


@pytest.mark.conforms("payment.template")
def test_an_instant_payment_takes_the_short_way(desk: Desk) -> None:
    body = {**BODY, "template_identifier": "SEPA_INSTANT"}
    payment_id = desk.api.post(PATH, json=body).json()["data"]["id"]
    assert [_step(desk, payment_id) for _ in range(3)] == ["authorizing", "processing", "settled"]


@pytest.mark.conforms("payments.kept_by_webhook", "payment.live_status")
def test_the_list_and_the_live_status_agree_after_each_step(desk: Desk) -> None:
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    desk.order(f"/payments/{payment_id}", status="authorized", raw_provider_status="ACTC")
    live = desk.api.get(f"{PATH}/{payment_id}").json()["data"]
    assert (live["status"], live["raw_provider_status"]) == ("authorized", "ACTC")
    assert desk.api.get(PATH).json()["data"][0] == live


@pytest.mark.conforms("payment_status.other_transitions")
@pytest.mark.parametrize("end", ["failed", "rejected"])
@pytest.mark.parametrize(
    "status", ["initiated", "initiated_info_required", "authorizing", "authorized", "processing", "executed"]
)
def test_every_status_but_a_final_one_can_end_in_failure(desk: Desk, status: str, end: str) -> None:
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    if status != "initiated":
        desk.order(f"/payments/{payment_id}", status=status)
    assert desk.order(f"/payments/{payment_id}", status=end)["data"]["status"] == end


@pytest.mark.conforms("payment_status.settled_is_final")
@pytest.mark.parametrize("end", ["settled", "failed", "rejected"])
def test_a_final_status_stays(desk: Desk, end: str) -> None:
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    desk.order(f"/payments/{payment_id}", status=end)
    for other in ("processing", "settled", "failed", "rejected"):
        assert desk.try_order(f"/payments/{payment_id}", {"status": other}).status_code == 409


def test_a_status_never_goes_back_and_must_be_known(desk: Desk) -> None:
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    desk.order(f"/payments/{payment_id}", status="processing")
    for other in ("initiated", "authorizing", "processing", "paid"):
        assert desk.try_order(f"/payments/{payment_id}", {"status": other}).status_code == 409


@pytest.mark.conforms("transaction.payment_id")
def test_a_settled_payment_appears_as_a_transaction_of_its_account(desk: Desk) -> None:
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    desk.order(f"/payments/{payment_id}", status="executed")
    assert desk.world.banking.accounts[MAIN_ACCOUNT].transactions[-1].payment_id is None
    desk.order(f"/payments/{payment_id}", status="settled")
    booked = desk.world.banking.accounts[MAIN_ACCOUNT].transactions[-1]
    assert (booked.payment_id, booked.amount) == (payment_id, Decimal("-1234.56"))


def test_with_auto_payments_the_clock_moves_a_payment_to_settled(desk: Desk) -> None:
    desk.order("/clock", speed=0)
    desk.order("/settings", auto_payments=True)
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    created = desk.world.banking.payments[payment_id].created_at
    desk.order("/clock", advance=3)
    assert desk.world.banking.payments[payment_id].status == "initiated_info_required"
    desk.order("/clock", advance=3600)
    payment = desk.world.banking.payments[payment_id]
    assert (payment.status, payment.updated_at) == ("settled", created + timedelta(seconds=96))


def test_without_auto_payments_time_alone_moves_nothing(desk: Desk) -> None:
    payment_id = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    desk.order("/clock", advance=86400)
    assert desk.world.banking.payments[payment_id].status == "initiated"


def test_iban_check_digits() -> None:
    assert is_iban("DE89370400440532013000")
    assert is_iban("NL91ABNA0417164300")
    assert german_iban(37040044, 532013000) == "DE89370400440532013000"
    assert not is_iban("DE89370400440532013010")
    assert not is_iban("")
