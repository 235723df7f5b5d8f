"""The payments list as it may be elsewhere: late, without custom fields, in pages."""

from __future__ import annotations

from typing import Any

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.support.running_sandbox import RunningSandbox

PATH = "/v2/banking/payments"
BODY = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
    "custom_fields": {"kontor_key": "run-1"},
}


def _list(sandbox: RunningSandbox, **query: Any) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = sandbox.api.get(PATH, params=query).json()["data"]
    return data


def _pay(sandbox: RunningSandbox) -> str:
    new_id: str = sandbox.api.post(PATH, json=BODY).json()["data"]["id"]
    return new_id


def test_a_lagging_list_shows_a_payment_when_the_lag_is_over(sandbox: RunningSandbox) -> None:
    sandbox.order("/clock", advance=60)  # beyond the demo's own payments
    sandbox.order("/settings", payments_lag=40)
    new_id, before = _pay(sandbox), len(_list(sandbox))
    assert new_id not in {payment["id"] for payment in _list(sandbox)}
    assert new_id not in {payment["id"] for payment in _list(sandbox, sort="id")}
    assert sandbox.api.get(f"{PATH}/{new_id}").status_code == 200
    sandbox.order("/clock", advance=41)
    assert _list(sandbox)[0]["id"] == new_id
    assert len(_list(sandbox)) == before + 1


def test_a_list_can_leave_out_custom_fields(sandbox: RunningSandbox) -> None:
    new_id = _pay(sandbox)
    sandbox.order("/settings", payments_hide_custom_fields=True)
    assert _list(sandbox)[0]["id"] == new_id
    assert not any("custom_fields" in payment for payment in _list(sandbox))
    sandbox.order("/settings", payments_hide_custom_fields=False)
    assert _list(sandbox)[0]["custom_fields"] == {"kontor_key": "run-1"}


def test_a_paged_list_shows_the_newest_and_can_be_walked_by_id(sandbox: RunningSandbox) -> None:
    new_id, whole = _pay(sandbox), [payment["id"] for payment in _list(sandbox, sort="id")]
    sandbox.order("/settings", payments_page_size=5)
    newest = _list(sandbox)
    assert (len(newest), newest[0]["id"]) == (5, new_id)
    walked: list[str] = []
    while page := _list(sandbox, sort="id", from_id=walked[-1] if walked else "0"):
        assert len(page) <= 5
        walked += [payment["id"] for payment in page]
    assert walked == whole
    assert len(_list(sandbox, limit=2)) == 2
