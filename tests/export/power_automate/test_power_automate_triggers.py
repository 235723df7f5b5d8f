"""The Power Automate connector's triggers find what the runtime finds, and everything works through a host."""

from __future__ import annotations

from connector import Connector
from connector.export.power_automate.names import operation_id
from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from tests.export.interpreter import runtime_requests
from tests.export.interpreter.power_engine import read
from tests.support.filled_in import all_inputs
from tests.support.running_sandbox import Receiver

CONNECTOR = Connector("unused")


def test_a_poll_sends_what_the_runtime_sends(power_session, power_engine):
    for id in ("new_transaction", "new_payment", "new_bank_account", "new_mobility_customer"):
        trigger = CONNECTOR.trigger(id)
        inputs = {"account_id": "8101"} if id == "new_transaction" else {}
        cursor = "900000000000000124" if id in ("new_transaction", "new_payment") else None
        asked = {"from_id": cursor} if cursor else {}
        expected = runtime_requests.of_poll(power_session, trigger, inputs, asked)
        assert power_engine.poll_request(operation_id(trigger), inputs, cursor).told() == expected.told()


def test_polls_give_the_items_that_the_runtime_gives(sandbox, power_session, power_engine):
    inputs = {"account_id": MAIN_ACCOUNT, "include_pending": True}
    first = power_engine.poll("TriggerNewTransaction", inputs)
    assert (first.status, first.items) == (202, [])
    cursor, location = power_session.poll("new_transaction", inputs).cursor, first.location
    for order in ({}, {"status": "pending"}, {"count": 45}, {"made_on": "2025-01-02"}, {"duplicated": True}):
        sandbox.order("/transactions", **order)
        fired = []
        more = True
        while more:
            polled = power_session.poll("new_transaction", inputs, cursor=cursor)
            fired, cursor, more = [*fired, *polled.items], polled.cursor, polled.more
        got = power_engine.poll("TriggerNewTransaction", inputs, location)
        assert [row["_id"] for row in got.items] == [row["_id"] for row in fired]
        assert got.status == (200 if fired else 202)
        location = got.location
    assert power_engine.poll("TriggerNewTransaction", inputs, location).status == 202


def test_posted_transactions_wait_in_line_and_none_is_lost_or_doubled(sandbox, power_engine):
    inputs = {"account_id": MAIN_ACCOUNT}
    for row in sandbox.api.get("/v2/banking/transactions", params=inputs).json()["data"]:
        sandbox.order(f"/transactions/{row['id']}", status="posted")
    location = power_engine.poll("TriggerNewTransaction", inputs).location
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    [last] = sandbox.order("/transactions")["data"]
    held = power_engine.poll("TriggerNewTransaction", inputs, location)
    assert held.items == []
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    got = power_engine.poll("TriggerNewTransaction", inputs, held.location)
    assert [row["id"] for row in got.items] == [pending["id"], last["id"]]
    assert power_engine.poll("TriggerNewTransaction", inputs, got.location).items == []


def test_through_a_host_every_action_and_dropdown_works(power_through_host, power_session):
    for action in CONNECTOR.actions.values():
        inputs = all_inputs(action, power_session)
        sent = power_through_host.request(operation_id(action), {}, {"inputs": inputs})
        answer = sent.send()
        assert answer.status_code == 200, (action.id, answer.text)
        schema = power_through_host.operations[operation_id(action)][2]["responses"]["200"]["schema"]
        document = read(answer)
        assert set(schema["properties"]) <= set(document)
    for lookup in CONNECTOR.lookups.values():
        given = all_inputs(lookup, power_session)
        answer = power_through_host.request(operation_id(lookup), given).send()
        assert answer.status_code == 200, (lookup.id, answer.text)
        assert read(answer)["options"]


def test_through_a_host_polls_speak_the_platforms_protocol(power_through_host, sandbox):
    inputs = {"account_id": MAIN_ACCOUNT}
    first = power_through_host.poll("TriggerNewTransaction", inputs)
    assert (first.status, first.items) == (202, [])
    [row] = sandbox.order("/transactions")["data"]
    second = power_through_host.poll("TriggerNewTransaction", inputs, first.location)
    assert (second.status, [item["id"] for item in second.items]) == (200, [row["id"]])
    assert power_through_host.poll("TriggerNewTransaction", inputs, second.location).status == 202


def test_through_a_host_a_flow_subscribes_is_told_and_ends_its_subscription(power_through_host, sandbox):
    receiver = Receiver()
    body = {"inputs": {}, "target_url": receiver.url}
    made = power_through_host.request("TriggerRefreshComplete", {}, body).send()
    assert made.status_code == 201
    assert made.headers["location"].endswith(read(made)["id"])
    sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    told = receiver.next()
    described = power_through_host.definition["paths"]["/trigger/refresh_complete"]["x-ms-notification-content"][
        "schema"
    ]
    assert set(told) - {"_event"} <= set(described["properties"])
    ended = power_through_host.request("EndSubscription", {"id": read(made)["id"]}).send()
    assert ended.status_code in (200, 204)
    receiver.close()
