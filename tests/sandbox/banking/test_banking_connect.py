from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from connector.sandbox.banking.demo import ENDING_SOON, HOUSE_BANK, MAIN_ACCOUNT, UNFINISHED
from tests.support.running_sandbox import Receiver, RunningSandbox

CONNECT = "/v2/banking/connect"


def _start(sandbox: RunningSandbox, **body: str) -> dict[str, Any]:
    answer = sandbox.api.post(CONNECT, json=body)
    assert answer.status_code == 201
    data: dict[str, Any] = answer.json()["data"]
    return data


def _status(sandbox: RunningSandbox, connection_id: str) -> int:
    return sandbox.api.get(f"/v2/banking/connections/{connection_id}").status_code


@pytest.mark.conforms("bank_connection_status.connect_starts")
def test_starting_a_connect_flow_makes_a_placeholder_with_a_pending_token(sandbox: RunningSandbox) -> None:
    flow = _start(sandbox, provider_code="n26_de", country_code="DE")
    assert flow["pending_token"] in flow["connect_url"]
    bank = sandbox.api.get(f"/v2/banking/connections/{flow['connection_id']}").json()["data"]
    assert (bank["status"], bank["provider_code"]) == ("pending_connect", "n26_de")
    assert sandbox.requests()[0]["acted"] is True


@pytest.mark.conforms("bank_connection_status.connect_is_given_up", "constants.connect_minutes")
def test_an_unfinished_connect_flow_is_removed_after_15_minutes(sandbox: RunningSandbox) -> None:
    sandbox.order("/clock", speed=0)
    flow = _start(sandbox)
    now = datetime.fromisoformat(sandbox.look("/state")["now"])
    assert datetime.fromisoformat(flow["expires_at"]) - now == timedelta(minutes=15)
    sandbox.order("/clock", advance=15 * 60 - 1)
    assert _status(sandbox, flow["connection_id"]) == 200
    sandbox.order("/clock", advance=1)
    assert _status(sandbox, flow["connection_id"]) == 404
    assert _status(sandbox, UNFINISHED) == 404


@pytest.mark.conforms("bank_connection_status.connect_completes")
def test_the_first_provider_webhook_replaces_the_placeholder_by_the_real_row(sandbox: RunningSandbox) -> None:
    flow = _start(sandbox, provider_code="n26_de")
    before = {account["id"] for account in sandbox.api.get("/v2/banking/accounts").json()["data"]}
    inbound = sandbox.with_key(None).post("/v2/banking/webhooks/partner", json={"pending_token": flow["pending_token"]})
    assert inbound.status_code == 200
    real = inbound.json()["data"]["connection_id"]
    assert _status(sandbox, flow["connection_id"]) == 404
    assert sandbox.api.get(f"/v2/banking/connections/{real}").json()["data"]["status"] == "active"
    new = {account["id"] for account in sandbox.api.get("/v2/banking/accounts").json()["data"]} - before
    listed = sandbox.api.get("/v2/banking/transactions", params={"connection_id": real}).json()["data"]
    assert {account["account_id"] for account in listed} == new
    sandbox.order("/clock", advance=3600)
    assert _status(sandbox, real) == 200


@pytest.mark.conforms("events.inbound")
def test_a_pending_token_works_once(sandbox: RunningSandbox) -> None:
    token, provider = _start(sandbox)["pending_token"], sandbox.with_key(None)
    assert provider.post("/v2/banking/webhooks/x", json={"pending_token": token}).status_code == 200
    assert provider.post("/v2/banking/webhooks/x", json={"pending_token": token}).status_code == 404
    assert provider.post("/v2/banking/webhooks/x", json={}).status_code == 400


def test_the_connect_page_completes_the_flow_and_leads_back(sandbox: RunningSandbox) -> None:
    flow = _start(sandbox, return_url="https://example.com/done")
    page = sandbox.api.get(flow["connect_url"])
    assert page.headers["content-type"].startswith("text/html")
    assert _status(sandbox, flow["connection_id"]) == 200
    confirmed = sandbox.api.post(flow["connect_url"])
    assert (confirmed.status_code, confirmed.headers["location"]) == (303, "https://example.com/done")
    assert _status(sandbox, flow["connection_id"]) == 404


def test_the_control_interface_completes_a_flow_and_announces_the_accounts(
    sandbox: RunningSandbox, receiver: Receiver
) -> None:
    real = sandbox.order(f"/bank-connections/{UNFINISHED}/complete")["data"]
    event = receiver.next()
    assert (event["event"], event["data"]["connection_id"]) == ("refresh_complete", real["id"])
    assert len(event["data"]["accounts"]) == 1
    assert sandbox.try_order(f"/bank-connections/{real['id']}/complete").status_code == 409


def test_a_consent_ends_by_the_clock_and_is_announced(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/clock", advance=7 * 86400)
    event = receiver.next()
    assert event["event"] == "connection_error"
    assert event["data"]["connection_id"] == ENDING_SOON
    bank = sandbox.api.get(f"/v2/banking/connections/{ENDING_SOON}").json()["data"]
    assert (bank["status"], bank["error_class"]) == ("inactive", "InvalidCredentials")
    assert event["received_at"] == bank["consent_expires_at"]


def test_a_renewed_consent_does_not_end_at_the_old_date(sandbox: RunningSandbox) -> None:
    sandbox.order(f"/bank-connections/{ENDING_SOON}/reconnect")
    sandbox.order("/clock", advance=7 * 86400)
    assert sandbox.api.get(f"/v2/banking/connections/{ENDING_SOON}").json()["data"]["status"] == "active"


@pytest.mark.conforms("bank_connection.goes_with_its_user")
def test_a_destroyed_bank_connection_takes_its_accounts_along(sandbox: RunningSandbox) -> None:
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")
    assert _status(sandbox, HOUSE_BANK) == 404
    assert MAIN_ACCOUNT not in {account["id"] for account in sandbox.api.get("/v2/banking/accounts").json()["data"]}
    assert sandbox.api.get("/v2/banking/transactions", params={"account_id": MAIN_ACCOUNT}).status_code == 404
    assert sandbox.api.get("/v2/banking/payments").status_code == 200
