"""Events on Node-RED and on Activepieces: believed when the API shows them, told once, and no URL is stolen."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.catalogue import export
from connector.export.shape import ExportOptions
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from tests.interfaces.host.running_host import RunningHost
from tests.platforms.node_packages.engines.stand import EventFlow, Refusal, Stand
from tests.support.parts import part
from tests.support.running_sandbox import Receiver, RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
HELD = export("node-red", CONNECTOR, ExportOptions(wire=Wire.load({}))).holds["triggers"]
EVENTS = sorted(id for id in HELD if CONNECTOR.trigger(id).source == "event")
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 297.5,
}


def pay(sandbox: RunningSandbox) -> str:
    sandbox.order("/settings", auto_payments=False)
    return str(sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]["id"])


def webhook_url(sandbox: RunningSandbox) -> str | None:
    url: str | None = sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    return url


def switched_on(stand: Stand, id: str, **inputs: Any) -> EventFlow:
    flow = stand.event_flow(CONNECTOR.trigger(id), **inputs)
    flow.switch_on()
    return flow


def keep_events_away(sandbox: RunningSandbox) -> None:
    """The service tells somebody else, so that only what the test itself sends comes in."""
    sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": "http://127.0.0.1:9/theirs"}).raise_for_status()


def about_house_bank(event: str, **claimed: Any) -> str:
    return json.dumps({"event": event, "data": {"connection_id": HOUSE_BANK, **claimed}})


@pytest.mark.parametrize("id", part(EVENTS))
def test_every_event_trigger_fires_on_its_own_event(id: str, direct: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    flow = switched_on(direct, id)
    assert webhook_url(sandbox) == flow.url
    orders = {
        "refresh_complete": lambda: sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh"),
        "banking_event": lambda: sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh"),
        "connection_error": lambda: sandbox.order(f"/bank-connections/{HOUSE_BANK}/error"),
        "connection_destroyed": lambda: sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy"),
        "payment_update": lambda: sandbox.order(f"/payments/{payment}", status="processing"),
        "payment_settled": lambda: sandbox.order(f"/payments/{payment}", status="settled"),
        "payment_failed": lambda: sandbox.order(f"/payments/{payment}", status="rejected"),
        "payment_needs_confirmation": lambda: sandbox.order(f"/payments/{payment}", status="initiated_info_required"),
    }
    orders[id]()
    [row] = flow.fired()
    assert ("_event" in row) is (id == "banking_event")
    assert datetime.fromisoformat(row["received_at"]).tzinfo is not None


def test_an_event_is_told_once_and_a_late_one_takes_nothing_back(direct: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    flow = direct.event_flow(CONNECTOR.trigger("payment_update"))
    flow.switch_on()
    sandbox.order(f"/payments/{payment}", status="settled")
    assert [row["_id"] for row in flow.fired()] == [f"{payment}:settled"]
    for status in ("settled", "processing"):
        event = {"event": "payment_update", "data": {"payment_id": payment, "status": status}}
        assert flow.deliver(json.dumps(event))[1] == []


def test_a_forged_event_fires_nothing(direct: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    flow = switched_on(direct, "payment_settled")
    for data in ({"payment_id": payment, "status": "settled"}, {"payment_id": "1", "status": "settled"}, {"status": 5}):
        assert flow.deliver(json.dumps({"event": "payment_update", "data": data}))[1] == []


def test_a_forged_amount_gives_way_to_the_true_one(direct: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    flow = switched_on(direct, "payment_update", payment_id=payment)
    keep_events_away(sandbox)
    sandbox.order(f"/payments/{payment}", status="settled")
    data = {"payment_id": payment, "status": "settled", "payment_attributes": {"amount": "9999.00"}}
    [row] = flow.deliver(json.dumps({"event": "payment_update", "data": data}))[1]
    assert row["payment_attributes"]["amount"] == "297.50"


@pytest.mark.parametrize(("event", "order"), [("refresh_complete", "refresh"), ("connection_error", "error")])
def test_a_forged_event_about_a_bank_connection_that_stands_as_before_fires_nothing(
    event: str, order: str, direct: Stand, sandbox: RunningSandbox
) -> None:
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/{order}")
    flow = switched_on(direct, event)
    keep_events_away(sandbox)
    assert flow.deliver(about_house_bank(event))[1] == []
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/{order}")
    [row] = flow.deliver(about_house_bank(event, provider_name="Mallory"))[1]
    assert (row["connection_id"], "Mallory" in json.dumps(row, default=str)) == (HOUSE_BANK, False)
    assert flow.deliver(about_house_bank(event, refresh_type="manual"))[1] == []


def test_a_bank_connection_that_goes_is_told_once(direct: Stand, sandbox: RunningSandbox) -> None:
    flow = switched_on(direct, "connection_destroyed")
    keep_events_away(sandbox)
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")
    assert len(flow.deliver(about_house_bank("connection_destroyed"))[1]) == 1
    assert flow.deliver(about_house_bank("connection_destroyed", refresh_type="manual"))[1] == []


def test_what_was_there_before_listening_began_is_not_told(direct: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    sandbox.order(f"/payments/{payment}", status="settled")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")
    flow = switched_on(direct, "banking_event")
    keep_events_away(sandbox)
    settled = {"event": "payment_update", "data": {"payment_id": payment, "status": "settled"}}
    assert flow.deliver(json.dumps(settled))[1] == []
    assert flow.deliver(about_house_bank("connection_destroyed"))[1] == []


def test_filters_keep_other_events_out(direct: Stand, sandbox: RunningSandbox) -> None:
    flow = switched_on(direct, "refresh_complete", connection_id="7")
    event = {"event": "refresh_complete", "data": {"connection_id": HOUSE_BANK}, "received_at": "2026-05-04T06:00:00Z"}
    assert flow.deliver(json.dumps(event)) == (200, [])


def test_a_foreign_webhook_url_is_left_alone(direct: Stand, sandbox: RunningSandbox, receiver: Receiver) -> None:
    with pytest.raises(Refusal, match=r"already set.*Replace a Foreign URL"):
        switched_on(direct, "banking_event")
    assert webhook_url(sandbox) == receiver.url


def test_a_url_taken_over_is_put_back(direct: Stand, sandbox: RunningSandbox, receiver: Receiver) -> None:
    flow = direct.event_flow(CONNECTOR.trigger("banking_event"), replace=True)
    flow.switch_on()
    assert webhook_url(sandbox) == flow.url
    flow.switch_off()
    assert webhook_url(sandbox) == receiver.url


def test_a_url_that_somebody_else_has_set_meanwhile_stays(
    direct: Stand, sandbox: RunningSandbox, receiver: Receiver
) -> None:
    flow = direct.event_flow(CONNECTOR.trigger("banking_event"), replace=True)
    flow.switch_on()
    sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": "http://127.0.0.1:9/theirs"})
    flow.switch_off()
    assert webhook_url(sandbox) == "http://127.0.0.1:9/theirs"


def test_a_subscription_at_a_host_brings_signed_events_once(
    hosted: Stand, sandbox: RunningSandbox, host: RunningHost
) -> None:
    payment = pay(sandbox)
    flow = switched_on(hosted, "payment_settled")
    sandbox.order(f"/payments/{payment}", status="settled")
    [row] = flow.fired()
    assert row["_id"] == f"{payment}:settled"
    forged = json.dumps({**row, "_id": "9:settled"}, default=str)
    assert flow.deliver(forged, {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"})[1] == []
    [kept] = active(host)
    assert (kept["trigger"], kept["target_url"]) == ("payment_settled", flow.url)
    flow.switch_off()
    assert active(host) == []


def active(host: RunningHost) -> list[dict[str, Any]]:
    listed = host.http.get("/v1/subscriptions").json()["subscriptions"]
    return [one for one in listed if one["state"] == "active"]
