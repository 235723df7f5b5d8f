from __future__ import annotations

from service_desk import Desk

from connector.sandbox.banking.demo import MAIN_ACCOUNT

PAYMENT = {"creditor_name": "Kettenwerk Teile GmbH", "creditor_iban": "DE89370400440532013000", "amount": 10.5}


def test_a_further_organisation_pays_and_books_for_itself(desk: Desk) -> None:
    other = desk.order("/organizations", name="werft")["data"]
    first, second = (desk.with_key(key) for key in other["keys"])
    made = first.post("/v2/banking/payments", json={**PAYMENT, "account_id": other["account_id"]})
    assert made.status_code == 201
    assert made.json()["data"]["organization_id"] == other["organization_id"]
    assert [one["id"] for one in second.get("/v2/banking/payments").json()["data"]] == [made.json()["data"]["id"]]
    query = {"connection_id": other["ledger_connection_id"]}
    assert first.get("/v2/ledger-duo/kassenbuecher", params=query).json()["data"] == [{"bezeichnung": "Hauptkasse"}]
    connections = second.get("/v2/ledger-rewe-read/connections").json()["connections"]
    assert [one["id"] for one in connections] == [other["ledger_connection_id"]]


def test_organisations_see_nothing_of_each_other(desk: Desk) -> None:
    other = desk.order("/organizations", name="werft")["data"]
    stranger = desk.with_key(other["keys"][0])
    assert stranger.get("/v2/banking/payments").json() == {"data": []}
    assert stranger.post("/v2/banking/payments", json={**PAYMENT, "account_id": MAIN_ACCOUNT}).status_code == 404
    assert other["account_id"] not in {one["id"] for one in desk.api.get("/v2/banking/accounts").json()["data"]}
    spent = desk.available()
    stranger.post("/v2/banking/payments", json={**PAYMENT, "account_id": other["account_id"]})
    assert desk.available() == spent


def test_the_same_organisation_is_not_added_twice_and_a_reset_removes_it(desk: Desk) -> None:
    desk.order("/organizations", name="werft")
    assert desk.try_order("/organizations", {"name": "werft"}).status_code == 409
    assert desk.try_order("/organizations", {"name": "Werft & Co"}).status_code == 400
    desk.order("/reset")
    assert desk.with_key("sandbox-werft-key").get("/v2/banking/accounts").status_code == 401
