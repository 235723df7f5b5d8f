from __future__ import annotations

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.support.running_sandbox import RunningSandbox

PAYMENT = {"creditor_name": "Kettenwerk Teile GmbH", "creditor_iban": "DE89370400440532013000", "amount": 10.5}


def test_a_further_organisation_pays_and_books_for_itself(sandbox: RunningSandbox) -> None:
    other = sandbox.order("/organizations", name="werft")["data"]
    first, second = (sandbox.with_key(key) for key in other["keys"])
    created = first.post("/v2/banking/payments", json={**PAYMENT, "account_id": other["account_id"]})
    assert created.status_code == 201
    assert created.json()["data"]["organization_id"] == other["organization_id"]
    assert [row["id"] for row in second.get("/v2/banking/payments").json()["data"]] == [created.json()["data"]["id"]]
    query = {"connection_id": other["ledger_connection_id"]}
    assert first.get("/v2/ledger-duo/kassenbuecher", params=query).json()["data"] == [{"bezeichnung": "Hauptkasse"}]
    connections = second.get("/v2/ledger-rewe-read/connections").json()["connections"]
    assert [row["id"] for row in connections] == [other["ledger_connection_id"]]


def test_organisations_see_nothing_of_each_other(sandbox: RunningSandbox) -> None:
    other = sandbox.order("/organizations", name="werft")["data"]
    stranger = sandbox.with_key(other["keys"][0])
    assert stranger.get("/v2/banking/payments").json() == {"data": []}
    assert stranger.post("/v2/banking/payments", json={**PAYMENT, "account_id": MAIN_ACCOUNT}).status_code == 404
    assert other["account_id"] not in {row["id"] for row in sandbox.api.get("/v2/banking/accounts").json()["data"]}
    spent = sandbox.available()
    stranger.post("/v2/banking/payments", json={**PAYMENT, "account_id": other["account_id"]})
    assert sandbox.available() == spent


def test_the_same_organisation_is_not_added_twice_and_a_reset_removes_it(sandbox: RunningSandbox) -> None:
    sandbox.order("/organizations", name="werft")
    assert sandbox.try_order("/organizations", {"name": "werft"}).status_code == 409
    assert sandbox.try_order("/organizations", {"name": "Werft & Co"}).status_code == 400
    sandbox.order("/reset")
    assert sandbox.with_key("sandbox-werft-key").get("/v2/banking/accounts").status_code == 401
