from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.support.running_sandbox import Receiver, RunningSandbox


def test_the_index_lists_every_route_with_a_line(sandbox: RunningSandbox) -> None:
    routes = sandbox.look("/")["routes"]
    assert len({(route["method"], route["path"]) for route in routes}) == len(routes) > 25
    assert all(route["does"] for route in routes)


def test_an_unknown_control_route_is_404_and_a_wrong_method_405(sandbox: RunningSandbox) -> None:
    assert sandbox.try_order("/nothing").status_code == 404
    assert sandbox.try_order("/state").status_code == 405


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/clock", {"forward": 5}),
        ("/clock", {"advance": -5}),
        ("/clock", {"set": "2020-01-01T00:00:00Z"}),
        ("/clock", {"set": "2999-01-01T00:00:00"}),
        ("/limits", {"style": "leaky"}),
        ("/credits", {}),
        ("/settings", {"page_size": "big"}),
        ("/transactions", {"status": "booked"}),
        ("/transactions", {"amount": "NaN"}),
        ("/transactions", {"count": 0}),
        ("/settings", {"page_size": 0}),
        ("/limits", {"window": 0}),
        ("/faults", {"kind": "slow", "times": 0}),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(sandbox: RunningSandbox, path: str, body: dict[str, object]) -> None:
    answer = sandbox.try_order(path, body)
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    ["/transactions/5", "/bank-connections/5/refresh", "/payments/5/step", "/payments/5", "/ledger-connections/5"],
)
def test_orders_for_unknown_things_are_404(sandbox: RunningSandbox, path: str) -> None:
    body = {"status": "settled"} if path == "/payments/5" else {"break": None} if "ledger" in path else {}
    assert sandbox.try_order(path, body).status_code == 404


def test_the_clock_can_be_set_to_a_moment(sandbox: RunningSandbox) -> None:
    now = datetime.fromisoformat(sandbox.look("/state")["now"])
    there = now + timedelta(days=3)
    sandbox.order("/clock", set=there.isoformat(), speed=0)
    assert timedelta() <= datetime.fromisoformat(sandbox.look("/state")["now"]) - there < timedelta(minutes=1)


def test_reset_begins_anew(sandbox: RunningSandbox) -> None:
    sandbox.order("/clock", advance=86400)
    sandbox.order("/limits", limit=5)
    sandbox.order("/faults", kind="error_500", times=None)
    sandbox.order("/credits", balance=3)
    sandbox.order("/transactions", count=3)
    sandbox.api.get("/v2/banking/accounts")
    before = datetime.fromisoformat(sandbox.look("/state")["now"])
    sandbox.order("/reset", seed=2)
    state = sandbox.look("/state")
    assert (state["seed"], state["faults"], state["requests_received"]) == (2, [], 0)
    assert state["settings"]["limits"]["limit"] == 200
    assert sandbox.balance() == 1000
    assert datetime.fromisoformat(state["now"]) < before
    assert sandbox.api.get("/v2/banking/accounts").status_code == 200


def test_reset_without_a_seed_keeps_it(sandbox: RunningSandbox) -> None:
    sandbox.order("/reset", seed=5)
    sandbox.order("/reset")
    assert sandbox.look("/state")["seed"] == 5


def test_events_go_out_after_a_reset(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/reset")
    sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": receiver.url})
    sandbox.order("/events", event="something_new", mode="unknown")
    assert receiver.next()["event"] == "something_new"


def test_the_state_shows_banks_accounts_payments_and_the_sizes_of_the_ledger(sandbox: RunningSandbox) -> None:
    state = sandbox.look("/state")
    assert len(state["banking"]["connections"]) == 6
    assert len(state["banking"]["accounts"]) == 5
    assert len(state["banking"]["payments"]) == 13
    assert state["ledger"]["connections"] > 0


def test_every_assumption_names_what_leaves_it_open(sandbox: RunningSandbox) -> None:
    rows = sandbox.look("/assumptions")["data"]
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(row["assumed"] and row["open"] for row in rows)
    assert {"key_status", "payment_body", "event_delivery"} <= {row["id"] for row in rows}


def test_a_forged_event_goes_out_and_changes_nothing(sandbox: RunningSandbox, receiver: Receiver) -> None:
    payment_id = "10000000000000006"
    data = {"payment_id": payment_id, "status": "settled"}
    sandbox.order("/events", event="payment_update", data=data, received_at="2026-01-01T00:00:00Z")
    event = receiver.next()
    assert event == {"event": "payment_update", "data": data, "received_at": "2026-01-01T00:00:00Z"}
    assert sandbox.world.banking.payments[payment_id].status == "initiated"
    assert sandbox.deliveries()[0]["origin"] == "forged"


def test_a_broken_ledger_connection_refuses_until_it_is_mended(sandbox: RunningSandbox) -> None:
    ledger_connection = sandbox.api.get("/v2/ledger-duo/connections").json()["connections"][0]["id"]
    query = {"connection_id": ledger_connection}
    sandbox.order(f"/ledger-connections/{ledger_connection}", **{"break": "ledger_connection_invalid"})
    answer = sandbox.api.get("/v2/ledger-duo/kassenbuecher", params=query)
    assert (answer.is_error, answer.json()["code"]) == (True, "ledger_connection_invalid")
    assert answer.json()["reconnectUrl"]
    sandbox.order(f"/ledger-connections/{ledger_connection}", **{"break": None})
    assert sandbox.api.get("/v2/ledger-duo/kassenbuecher", params=query).status_code == 200
    assert sandbox.try_order(f"/ledger-connections/{ledger_connection}", {"break": "nonsense"}).status_code == 400


def test_another_program_pays_past_faults_and_is_listed_but_no_execution(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500", times=None, match={"method": "POST"})
    created = sandbox.order("/payments", count=3, description="Stadtwerke")["data"]
    listed = sandbox.api.get("/v2/banking/payments").json()["data"]
    assert [row["id"] for row in listed[:3]] == [row["id"] for row in reversed(created)]
    assert {row["description"] for row in created} == {"Stadtwerke"}
    assert sandbox.look("/executions")["data"] == []
    assert sandbox.try_order("/payments", {"account_id": "5"}).status_code == 404


def test_transactions_arrive_as_ordered(sandbox: RunningSandbox) -> None:
    arrived = sandbox.order(
        "/transactions",
        count=2,
        status="pending",
        made_on="2026-03-04",
        amount=-7.5,
        description="SVWZ+Miete",
        duplicated=True,
        payment_id="9999999999999994",
    )["data"]
    assert len(arrived) == 2
    stored = sandbox.world.banking.accounts[MAIN_ACCOUNT].transactions[-1]
    assert stored.id == arrived[1]["id"]
    assert (stored.status, str(stored.made_on), str(stored.amount)) == ("pending", "2026-03-04", "-7.5")
    assert (stored.duplicated, stored.payment_id, stored.description_parsed.svwz) == (True, "9999999999999994", "Miete")
