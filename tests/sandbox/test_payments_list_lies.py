"""The payments list as it may be elsewhere: late, without custom fields, in pages."""

from __future__ import annotations

from typing import Any

from service_desk import Desk

from connector.sandbox.banking.demo import MAIN_ACCOUNT

PATH = "/v2/banking/payments"
BODY = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
    "custom_fields": {"kontor_key": "run-1"},
}


def _list(desk: Desk, **query: Any) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = desk.api.get(PATH, params=query).json()["data"]
    return data


def _pay(desk: Desk) -> str:
    made: str = desk.api.post(PATH, json=BODY).json()["data"]["id"]
    return made


def test_a_lagging_list_shows_a_payment_when_the_lag_is_over(desk: Desk) -> None:
    desk.order("/clock", advance=60)  # beyond the demo's own payments
    desk.order("/settings", payments_lag=40)
    made, before = _pay(desk), len(_list(desk))
    assert made not in {one["id"] for one in _list(desk)}
    assert made not in {one["id"] for one in _list(desk, sort="id")}
    assert desk.api.get(f"{PATH}/{made}").status_code == 200
    desk.order("/clock", advance=41)
    assert _list(desk)[0]["id"] == made
    assert len(_list(desk)) == before + 1


def test_a_list_can_leave_out_custom_fields(desk: Desk) -> None:
    made = _pay(desk)
    desk.order("/settings", payments_hide_custom_fields=True)
    assert _list(desk)[0]["id"] == made
    assert not any("custom_fields" in one for one in _list(desk))
    desk.order("/settings", payments_hide_custom_fields=False)
    assert _list(desk)[0]["custom_fields"] == {"kontor_key": "run-1"}


def test_a_paged_list_shows_the_newest_and_can_be_walked_by_id(desk: Desk) -> None:
    made, whole = _pay(desk), [one["id"] for one in _list(desk, sort="id")]
    desk.order("/settings", payments_page_size=5)
    newest = _list(desk)
    assert (len(newest), newest[0]["id"]) == (5, made)
    walked: list[str] = []
    while page := _list(desk, sort="id", from_id=walked[-1] if walked else "0"):
        assert len(page) <= 5
        walked += [one["id"] for one in page]
    assert walked == whole
    assert len(_list(desk, limit=2)) == 2
