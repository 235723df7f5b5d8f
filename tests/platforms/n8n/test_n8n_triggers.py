"""Both triggers on n8n's own engine: polls that neither miss nor repeat, events that are only believed when true."""

from __future__ import annotations

import copy
import json
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.catalogue import export
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.platforms.n8n.engine.n8n_engine import EventFlow, Flow, Refusal, Stand
from tests.support.running_sandbox import Receiver, RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
HELD = export("n8n", CONNECTOR, ExportOptions(wire=Wire.load({}))).holds["triggers"]
POLLED = sorted(id for id in HELD if CONNECTOR.trigger(id).source == "poll")
EVENTS = sorted(id for id in HELD if CONNECTOR.trigger(id).source == "event")
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 297.5,
}
INPUTS: dict[str, dict[str, Any]] = {
    "new_transaction": {"account_id": MAIN_ACCOUNT},
    "transaction_changed": {"account_id": MAIN_ACCOUNT},
    "consent_expires_soon": {"connection_id": HOUSE_BANK, "days": 30},
    "bank_connection_needs_attention": {"connection_id": HOUSE_BANK},
    "open_item_changed": {"ledger_connection": ledger_connection_id("nordlicht")},
}


def flow(stand: Stand, id: str, start: str = "now", **more: Any) -> Flow:
    return Flow(stand, CONNECTOR.trigger(id), start, **{**INPUTS.get(id, {}), **more})


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["_id"] for row in rows]


@pytest.mark.parametrize("id", POLLED)
def test_a_first_poll_from_now_takes_note_and_fires_nothing(id: str, stand: Stand) -> None:
    new = flow(stand, id)
    assert new.poll() == []
    assert new.static


@pytest.mark.parametrize("id", POLLED)
def test_polls_fire_what_the_runtime_fires(id: str, stand: Stand, session: Session, sandbox: RunningSandbox) -> None:
    inputs = INPUTS.get(id, {})
    first = _runtime(session, id, inputs, None)
    ours = flow(stand, id, "all")
    assert ids(ours.poll()) == ids(first[0])
    sandbox.order("/transactions", count=25, made_on="2026-01-02")
    sandbox.api.post("/v2/banking/payments", json=PAYMENT)
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/error")
    second = _runtime(session, id, inputs, first[1])
    assert ids(ours.poll()) == ids(second[0])
    assert ids(ours.poll()) == ids(_runtime(session, id, inputs, second[1])[0])


def _runtime(session: Session, id: str, inputs: dict[str, Any], cursor: str | None) -> tuple[list[dict[str, Any]], str]:
    fired: list[dict[str, Any]] = []
    while True:
        polled = session.poll(id, inputs, cursor, start="all")
        fired += polled.items
        cursor = polled.cursor
        if not polled.more:
            return fired, cursor


def test_transactions_fire_once_with_late_pending_and_paged_ones(stand: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order("/settings", page_size=50)
    ours = flow(stand, "new_transaction")
    assert ours.poll() == []
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    arrived = [pending, *sandbox.order("/transactions", count=120, made_on="2025-01-02")["data"]]
    fired = ours.poll()
    assert ids(fired) == [one["id"] for one in arrived[1:]]
    assert all(row["_late"] and int(row["id"]) > 2**53 for row in fired)
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    assert ids(ours.poll()) == [pending["id"]]
    assert ours.poll() == []


@pytest.mark.parametrize("page_size", [13, 25])
def test_history_is_passed_over_in_pages_of_any_size(stand: Stand, sandbox: RunningSandbox, page_size: int) -> None:
    sandbox.order("/settings", page_size=page_size)
    ours = flow(stand, "new_transaction")
    for _ in range(4):
        assert ours.poll() == []
    arrived = sandbox.order("/transactions", count=3)["data"]
    assert ids(ours.poll()) == [one["id"] for one in arrived]


def test_a_start_after_an_id_fires_only_what_is_later(stand: Stand, sandbox: RunningSandbox) -> None:
    first, *later = sandbox.order("/transactions", count=4)["data"]
    ours = Flow(stand, CONNECTOR.trigger("new_transaction"), "since", since=first["id"], account_id=MAIN_ACCOUNT)
    assert ids(ours.poll()) == [one["id"] for one in later]


def test_a_test_run_shows_rows_and_moves_nothing(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "new_payment")
    assert ours.poll(mode="manual")
    assert not ours.static.get("node:Kontor")
    assert ours.poll() == []
    kept = json.dumps(ours.static)
    ours.poll(mode="manual")
    assert json.dumps(ours.static) == kept


def test_a_failed_poll_moves_nothing(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "new_transaction")
    ours.poll()
    [arrived] = sandbox.order("/transactions")["data"]
    sandbox.order("/faults", kind="error_500", match={"path": "/v2/banking/transactions"}, times=None)
    with pytest.raises(Refusal):
        ours.poll()
    sandbox.heal()
    assert ids(ours.poll()) == [arrived["id"]]


def test_a_poll_without_a_source_is_refused_before_it_costs(stand: Stand, sandbox: RunningSandbox) -> None:
    before = len(sandbox.requests())
    with pytest.raises(Refusal):
        Flow(stand, CONNECTOR.trigger("new_transaction")).poll()
    assert len(sandbox.requests()) == before


def test_another_account_begins_anew_instead_of_firing_its_history(stand: Stand, sandbox: RunningSandbox) -> None:
    ours = flow(stand, "new_transaction")
    ours.poll()
    other = next(
        one["id"] for one in sandbox.api.get("/v2/banking/accounts").json()["data"] if one["id"] != MAIN_ACCOUNT
    )
    ours.parameters["account_id"] = other
    assert ours.poll() == []


# Events


def listening(stand: Stand, sandbox: RunningSandbox, id: str, **inputs: Any) -> tuple[EventFlow, Receiver]:
    """A registered workflow; what the service sends to it is taken by a receiver and handed to the engine."""
    receiver = Receiver()
    ours = EventFlow(stand, CONNECTOR.trigger(id), **inputs)
    ours.webhook_base = receiver.url.removesuffix("/hooks/1")
    assert ours.hook("checkExists") is False
    assert ours.hook("create") is True
    assert ours.hook("checkExists") is True
    return ours, receiver


def pay(sandbox: RunningSandbox) -> str:
    sandbox.order("/settings", auto_payments=False)
    return str(sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]["id"])


def webhook_url(sandbox: RunningSandbox) -> str | None:
    answer = sandbox.api.get("/v2/banking/webhook-url").json()
    found = answer.get("data", answer)
    return (found.get("webhook_url") or found.get("url")) if isinstance(found, dict) else found


def test_a_settled_payment_fires_once_and_executed_does_not(stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    ours, receiver = listening(stand, sandbox, "payment_settled")
    fired = []
    for status in ("executed", "settled"):
        sandbox.order(f"/payments/{payment}", status=status)
        event = json.dumps(receiver.next(), default=str)
        fired += ours.receive(event)[1]
        fired += ours.receive(event)[1]
    receiver.close()
    assert ids(fired) == [f"{payment}:settled"]
    assert Decimal(fired[0]["payment_attributes"]["amount"]) == Decimal("297.50")


def test_a_forged_event_fires_nothing(stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    ours, receiver = listening(stand, sandbox, "payment_settled")
    claims = [{"payment_id": payment, "status": "settled"}, {"payment_id": "1", "status": "settled"}, {"status": 5}]
    answers = [ours.receive(json.dumps({"event": "payment_update", "data": claim})) for claim in claims]
    receiver.close()
    assert [rows for _, rows in answers] == [[], [], []]
    # What is not so, or not there, may still come: the service may send it again.
    assert [status for status, _ in answers] == [503, 503, 200]


def test_what_n8n_forgets_when_a_workflow_starts_is_not_told_again(stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    for id, order in (
        ("payment_settled", f"/payments/{payment}"),
        ("banking_event", f"/bank-connections/{HOUSE_BANK}/refresh"),
    ):
        ours, receiver = listening(stand, sandbox, id)
        kept = copy.deepcopy(ours.static)
        sandbox.order(order, **({"status": "settled"} if id == "payment_settled" else {}))
        event = json.dumps(receiver.next(), default=str)
        assert len(ours.receive(event)[1]) == 1
        ours.static = copy.deepcopy(kept)
        assert ours.receive(event) == (200, [])
        ours.static = kept
        ours.hook("delete")  # now n8n keeps what is written
        ours.workflow = "the same after a restart"
        assert ours.receive(event) == (200, [])
        receiver.close()


def about_house_bank(event: str, **claimed: Any) -> str:
    return json.dumps({"event": event, "data": {"connection_id": HOUSE_BANK, **claimed}})


def test_of_an_event_about_a_bank_connection_only_what_the_api_shows_is_passed_on(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    ours, receiver = listening(stand, sandbox, "banking_event")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh")
    forged = {"provider_name": "Mallory", "accounts": [{"id": "1", "balance": 9}]}
    [row] = ours.receive(about_house_bank("refresh_complete", **forged))[1]
    never = {"event": "connection_destroyed", "data": {"connection_id": "4711", "provider_name": "Mallory"}}
    assert ours.receive(json.dumps(never)) == (503, [])
    assert ours.receive(about_house_bank("connection_error", error_message="call me")) == (503, [])
    receiver.close()
    assert "Mallory" not in json.dumps(row, default=str)
    assert "1" not in [one["id"] for one in row["accounts"]]


@pytest.mark.parametrize(("event", "order"), [("refresh_complete", "refresh"), ("connection_error", "error")])
@pytest.mark.parametrize("trigger", ["own", "banking_event"])
def test_a_forged_event_about_a_bank_connection_that_stands_as_before_fires_nothing(
    event: str, order: str, trigger: str, stand: Stand, sandbox: RunningSandbox
) -> None:
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/{order}")
    ours, receiver = listening(stand, sandbox, event if trigger == "own" else trigger)
    assert ours.receive(about_house_bank(event)) == (503, [])  # it may still become true
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/{order}")
    receiver.close()
    assert len(ours.receive(about_house_bank(event))[1]) == 1
    assert ours.receive(about_house_bank(event, refresh_type="manual")) == (503, [])


def test_a_bank_connection_that_was_gone_before_is_not_told_and_one_that_goes_is_told_once(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    first, receiver = listening(stand, sandbox, "connection_destroyed")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")
    [row] = first.receive(about_house_bank("connection_destroyed"))[1]
    assert row["connection_id"] == HOUSE_BANK
    assert first.receive(about_house_bank("connection_destroyed", refresh_type="manual")) == (503, [])
    first.hook("delete")
    receiver.close()
    later, receiver = listening(stand, sandbox, "connection_destroyed")
    receiver.close()
    assert later.receive(about_house_bank("connection_destroyed")) == (503, [])


def test_what_was_there_when_listening_began_is_noted_once_and_kept(stand: Stand, sandbox: RunningSandbox) -> None:
    ours, receiver = listening(stand, sandbox, "connection_error")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/error")
    ours.hook("delete")
    ours.workflow = "the same after a restart"
    before = len(sandbox.requests())
    ours.hook("create")
    receiver.close()
    assert {row["path"] for row in sandbox.requests()[before:]} == {"/v2/banking/webhook-url"}
    assert len(ours.receive(about_house_bank("connection_error"))[1]) == 1  # the service repeats what it told nobody


def test_a_payment_that_was_settled_before_listening_began_is_not_told(stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    sandbox.order(f"/payments/{payment}", status="settled")
    ours, receiver = listening(stand, sandbox, "payment_settled")
    event = {"event": "payment_update", "data": {"payment_id": payment, "status": "settled"}}
    assert ours.receive(json.dumps(event)) == (200, [])
    receiver.close()


def test_two_events_at_the_same_time_tell_of_a_payment_once(stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    ours, receiver = listening(stand, sandbox, "payment_settled")
    sandbox.order(f"/payments/{payment}", status="settled")
    event = json.dumps(receiver.next(), default=str)
    receiver.close()
    assert len(ours.receive_at_once(event, event)) == 1


def test_a_late_event_does_not_take_a_status_back(stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    ours, receiver = listening(stand, sandbox, "payment_update")
    sandbox.order(f"/payments/{payment}", status="settled")
    late = {"event": "payment_update", "data": {"payment_id": payment, "status": "processing"}}
    fired = ours.receive(json.dumps(receiver.next(), default=str))[1] + ours.receive(json.dumps(late))[1]
    receiver.close()
    assert ids(fired) == [f"{payment}:settled"]


def test_a_forged_amount_gives_way_to_the_true_one(stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    ours, receiver = listening(stand, sandbox, "payment_settled")
    sandbox.order(f"/payments/{payment}", status="settled")
    data = {"payment_id": payment, "status": "settled", "payment_attributes": {"amount": "9999.00"}}
    [row] = ours.receive(json.dumps({"event": "payment_update", "data": data}))[1]
    receiver.close()
    assert row["payment_attributes"]["amount"] == "297.50"


@pytest.mark.parametrize("id", EVENTS)
def test_every_event_trigger_fires_on_its_own_event(id: str, stand: Stand, sandbox: RunningSandbox) -> None:
    payment = pay(sandbox)
    ours, receiver = listening(stand, sandbox, id)
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
    event = json.dumps(receiver.next(), default=str)
    status, rows = ours.receive(event)
    receiver.close()
    assert (status, len(rows)) == (200, 1)
    assert ("_event" in rows[0]) is (id == "banking_event")
    assert datetime.fromisoformat(rows[0]["received_at"]).tzinfo is not None
    assert ours.receive(event) == (200, [])


def test_filters_keep_other_events_out(stand: Stand, sandbox: RunningSandbox) -> None:
    ours, receiver = listening(stand, sandbox, "refresh_complete", connection_id="7")
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh")
    assert ours.receive(json.dumps(receiver.next(), default=str)) == (200, [])
    receiver.close()


def test_a_foreign_webhook_url_is_left_alone(stand: Stand, sandbox: RunningSandbox, receiver: Receiver) -> None:
    ours = EventFlow(stand, CONNECTOR.trigger("banking_event"))
    ours.webhook_base = "http://127.0.0.1:9/webhook"
    with pytest.raises(Refusal, match="already set") as caught:
        ours.hook("create")
    assert "Replace a Foreign URL" in caught.value.remedy
    assert webhook_url(sandbox) == receiver.url


def test_a_url_taken_over_is_put_back(stand: Stand, sandbox: RunningSandbox, receiver: Receiver) -> None:
    ours = EventFlow(stand, CONNECTOR.trigger("banking_event"), replace=True)
    ours.webhook_base = "http://127.0.0.1:9/webhook"
    ours.hook("create")
    assert webhook_url(sandbox) == ours.url
    assert ours.hook("delete") is True
    assert webhook_url(sandbox) == receiver.url


def test_a_url_that_somebody_else_has_set_meanwhile_stays(
    stand: Stand, sandbox: RunningSandbox, receiver: Receiver
) -> None:
    ours = EventFlow(stand, CONNECTOR.trigger("banking_event"), replace=True)
    ours.webhook_base = "http://127.0.0.1:9/webhook"
    ours.hook("create")
    sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": "http://127.0.0.1:9/theirs"})
    ours.hook("delete")
    assert webhook_url(sandbox) == "http://127.0.0.1:9/theirs"
