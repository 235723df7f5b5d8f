"""What a host shows whoever builds a flow on a trigger: what the service has, and an example where it has nothing."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from tests.interfaces.host.running_host import PAYMENT, RunningHost
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
EVENTS = [id for id, trigger in CONNECTOR.triggers.items() if trigger.source == "event"]


def samples(host: RunningHost, id: str, **inputs: Any) -> dict[str, Any]:
    answer = host.http.post(f"/v1/triggers/{id}/sample", json={"inputs": inputs})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_poll_shows_the_newest_rows_and_moves_no_cursor(host: RunningHost) -> None:
    rows = host.run("list_transactions", {"account_id": PAYMENT["account_id"], "sort": "id"}).json()["output"]["items"]
    for _ in range(2):
        found = samples(host, "new_transaction", account_id=PAYMENT["account_id"], include_pending=True)
        assert found["real"] is True
        assert [item["_id"] for item in found["items"]] == [row["id"] for row in rows][:-4:-1]


def test_an_event_about_payments_shows_payments_in_that_state(host: RunningHost) -> None:
    paid = host.run("initiate_payment", PAYMENT).json()["output"]
    found = samples(host, "payment_update", payment_id=paid["id"])
    assert found["real"] is True
    assert [item["_id"] for item in found["items"]] == [f"{paid['id']}:{paid['status']}"]
    assert samples(host, "payment_settled", payment_id=paid["id"])["real"] is False, "it has not settled"


@pytest.mark.parametrize("id", EVENTS)
def test_where_nothing_is_listed_the_manifests_example_is_shown(host: RunningHost, id: str) -> None:
    trigger = CONNECTOR.trigger(id)
    filters = {field.name: "4711" for field in trigger.inputs if field.name in {"payment_id", "connection_id"}}
    assert samples(host, id, **filters) == {"ok": True, "items": trigger.sample, "real": False}


@pytest.fixture
def bank(host: RunningHost) -> str:
    """The bank connection of the newest payment."""
    return str(host.run("list_payments", {"limit": 1}).json()["output"]["items"][0]["connection_id"])


def test_an_event_about_a_bank_connection_shows_one_as_it_is_now(
    host: RunningHost, sandbox: RunningSandbox, bank: str
) -> None:
    before = sandbox.balance()
    found = samples(host, "refresh_complete", connection_id=bank)
    [item] = found["items"]
    assert (found["real"], item["connection_id"]) == (True, bank)
    assert item["provider_name"] == host.run("get_bank_connection", {"id": bank}).json()["output"]["provider_name"]
    accounts = host.run("list_bank_accounts", {"connection_id": bank}).json()["output"]["items"]
    assert [one["id"] for one in item["accounts"]] == [one["id"] for one in accounts]
    assert item["accounts"][0]["iban"] == accounts[0]["extra"]["iban"]
    assert "refresh_type" not in item, "nobody knows it"
    [manual] = samples(host, "refresh_complete", connection_id=bank, refresh_type="manual")["items"]
    assert manual["refresh_type"] == "manual", "as the flow asks for it"
    elsewhere = samples(host, "refresh_complete", connection_id=bank, provider_code="another_bank")
    assert elsewhere["real"] is False
    assert bank in [item["connection_id"] for item in samples(host, "refresh_complete")["items"]]
    assert sandbox.balance() == before


def test_a_bank_connection_that_works_is_no_example_of_one_that_failed_or_is_gone(
    host: RunningHost, sandbox: RunningSandbox, bank: str
) -> None:
    for id in ("connection_error", "connection_destroyed"):
        assert samples(host, id, connection_id=bank)["real"] is False
    sandbox.order(f"/bank-connections/{bank}/error", error_class="ProviderError", error_message="No answer")
    [failed] = samples(host, "connection_error", connection_id=bank)["items"]
    assert (failed["error_class"], failed["error_message"]) == ("ProviderError", "No answer")
    assert samples(host, "connection_error", connection_id=bank, error_class="Other")["real"] is False
    sandbox.order(f"/bank-connections/{bank}/destroy")
    assert samples(host, "connection_error", connection_id=bank)["real"] is False
    [gone] = samples(host, "connection_destroyed", connection_id=bank)["items"]
    assert (gone["connection_id"], gone["provider_name"]) == (bank, failed["provider_name"])
    assert samples(host, "connection_destroyed", connection_id="4711")["real"] is False, "it never was"


def test_any_event_shows_what_its_filters_leave(host: RunningHost, bank: str) -> None:
    assert {item["_event"] for item in samples(host, "banking_event")["items"]} <= {
        "payment_update",
        "payment_progress",
    }
    [refreshed] = samples(host, "banking_event", event="refresh_complete", connection_id=bank)["items"]
    assert (refreshed["_event"], refreshed["connection_id"]) == ("refresh_complete", bank)


def test_a_missing_input_is_told_before_the_service_is_asked(host: RunningHost) -> None:
    answer = host.http.post("/v1/triggers/new_transaction/sample", json={"inputs": {"colour": "red"}})
    assert (answer.status_code, answer.json()["field"]) == (422, "colour")
