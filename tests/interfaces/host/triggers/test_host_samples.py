"""What a host shows whoever builds a flow on a trigger: what the service has, and an example where it has nothing."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from tests.interfaces.host.running_host import PAYMENT, RunningHost

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
    filters = {"payment_id": "4711"} if any(field.name == "payment_id" for field in trigger.inputs) else {}
    assert samples(host, id, **filters) == {"ok": True, "items": trigger.sample, "real": False}


def test_a_missing_input_is_told_before_the_service_is_asked(host: RunningHost) -> None:
    answer = host.http.post("/v1/triggers/new_transaction/sample", json={"inputs": {"colour": "red"}})
    assert (answer.status_code, answer.json()["field"]) == (422, "colour")
