"""The Make app's triggers find what the runtime finds, errors mean the right thing, and no URL is stolen."""

from __future__ import annotations

import pytest

from connector import Connector
from connector.core.data.answers import items_in
from connector.export.make.names import module_id, rpc_id, webhook_id
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.export.interpreter import runtime_requests
from tests.export.interpreter.make_engine import Failed, Memory
from tests.export.interpreter.rows import ids, plain, poll_all
from tests.support.filled_in import all_inputs, required_inputs

CONNECTOR = Connector("unused")


def test_the_connection_is_tested_with_a_real_call(make_engine, sandbox):
    before = len(sandbox.requests())
    make_engine.test_connection("kontor")
    assert len(sandbox.requests()) == before + 1
    make_engine.credential["apiKey"] = "wrong"
    with pytest.raises(Failed) as told:
        make_engine.test_connection("kontor")
    assert told.value.type == "InvalidAccessTokenError"


def test_the_ledgers_three_codes_have_three_remedies(make_engine, sandbox, make_session):
    inputs = required_inputs(CONNECTOR.action("list_cash_books"), make_session)
    told = []
    for code in ("ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized"):
        sandbox.order(f"/ledger-connections/{inputs['ledger_connection']}", **{"break": code})
        with pytest.raises(Failed) as failed:
            make_engine.run("listCashBooks", inputs)
        told.append(failed.value.message)
    assert "reconnect link" in told[0]
    assert "Book the missing service" in told[1]
    assert "grant the right" in told[2]


@pytest.mark.parametrize(
    ("module", "type"), [("listBankAccounts", "ConnectionError"), ("startBankConnect", "RuntimeError")]
)
def test_only_a_read_that_fails_half_way_is_repeated_by_make(module, type, make_engine, sandbox):
    sandbox.order("/faults", kind="error_500")
    with pytest.raises(Failed) as told:
        make_engine.run(module, {})
    assert told.value.type == type


def test_new_transactions_give_the_items_that_the_runtime_gives(sandbox, make_session, make_engine):
    memory = Memory()
    inputs = {"account_id": MAIN_ACCOUNT, "include_pending": True, "limit": 3000}
    runtime = {"account_id": MAIN_ACCOUNT, "include_pending": True}
    make_engine.run("watchNewTransaction", inputs, memory)
    cursor = make_session.poll("new_transaction", runtime).cursor
    for order in ({}, {"status": "pending"}, {"count": 45}, {"made_on": "2025-01-02"}, {"duplicated": True}):
        sandbox.order("/transactions", **order)
        fired, cursor = poll_all(make_session, "new_transaction", runtime, cursor)
        got = make_engine.run("watchNewTransaction", inputs, memory)
        assert [row["_id"] for row in got] == [row["_id"] for row in fired]
        assert [plain(row) for row in got] == [plain(row, {"_late"}) for row in fired]
    assert make_engine.run("watchNewTransaction", inputs, memory) == []


def test_posted_transactions_wait_in_line_behind_a_pending_one_and_none_is_lost_or_doubled(
    sandbox, make_session, make_engine
):
    memory, inputs, runtime = Memory(), {"account_id": MAIN_ACCOUNT, "limit": 3000}, {"account_id": MAIN_ACCOUNT}
    for row in items_in(sandbox.api.get("/v2/banking/transactions", params=runtime).json()):
        sandbox.order(f"/transactions/{row['id']}", status="posted")
    make_engine.run("watchNewTransaction", inputs, memory)
    cursor = make_session.poll("new_transaction", runtime).cursor
    [first] = sandbox.order("/transactions")["data"]
    [pending] = sandbox.order("/transactions", status="pending")["data"]
    [last] = sandbox.order("/transactions")["data"]
    sandbox.order("/transactions", duplicated=True)
    assert ids(make_engine.run("watchNewTransaction", inputs, memory)) == [first["id"]]
    assert make_engine.run("watchNewTransaction", inputs, memory) == []
    fired, cursor = poll_all(make_session, "new_transaction", runtime, cursor)
    sandbox.order(f"/transactions/{pending['id']}", status="posted")
    assert ids(make_engine.run("watchNewTransaction", inputs, memory)) == [pending["id"], last["id"]]
    fired += poll_all(make_session, "new_transaction", runtime, cursor)[0]
    assert sorted(ids(fired)) == [first["id"], pending["id"], last["id"]]


def test_new_payments_give_the_items_that_the_runtime_gives(sandbox, make_session, make_engine):
    memory, cursor = Memory(), make_session.poll("new_payment").cursor
    make_engine.run("watchNewPayment", {"limit": 3000}, memory)
    inputs = required_inputs(CONNECTOR.action("initiate_payment"), make_session)
    for _ in range(3):
        make_session.invoke("initiate_payment", inputs, again=True)
        fired, cursor = poll_all(make_session, "new_payment", {}, cursor)
        assert ids(make_engine.run("watchNewPayment", {"limit": 3000}, memory)) == ids(fired) != []


def test_a_poll_sends_what_the_runtime_sends(make_session, make_engine):
    memory = Memory(last_id="900000000000000124")
    for id in ("new_transaction", "new_payment", "new_bank_account", "new_mobility_customer"):
        trigger = CONNECTOR.trigger(id)
        inputs = {} if id in ("new_payment", "new_bank_account", "new_mobility_customer") else {"account_id": "8101"}
        asked = {"from_id": memory.last_id} if id in ("new_transaction", "new_payment") else {}
        expected = runtime_requests.of_poll(make_session, trigger, inputs, asked)
        sent = make_engine.module_request(module_id(trigger), {**inputs, "limit": 10}, memory)
        assert sent.told() == expected.told()


def test_lists_without_a_cursor_fire_what_is_new(sandbox, make_session, make_engine):
    for id in ("new_bank_account", "new_mobility_customer"):
        trigger, memory = CONNECTOR.trigger(id), Memory()
        all_of_it = make_session.poll(id, start="all").items
        assert sorted(ids(make_engine.run(module_id(trigger), {"limit": 3000}, memory))) == sorted(ids(all_of_it))
        assert make_engine.run(module_id(trigger), {"limit": 3000}, memory) == []


def test_a_person_chooses_where_to_start_from_the_newest_on(sandbox, make_engine):
    epoch = make_engine.code("module", "watchNewPayment", "epoch")
    rows = make_engine._steps(epoch, make_engine._scope({}))
    assert [row["id"] for row in rows] == sorted((row["id"] for row in rows), key=int, reverse=True)
    assert all(row["label"] and row["date"] for row in rows)


def test_an_instant_trigger_takes_the_url_only_when_it_is_free_and_gives_it_back(sandbox, make_engine):
    hook = webhook_id(CONNECTOR.trigger("refresh_complete"))
    url = "https://hook.make.example/abc"
    standing = lambda: sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]  # noqa: E731
    kept = make_engine.attach(hook, url, {})
    assert standing() == url
    assert make_engine.attach(hook, url, {})["url"] == url
    make_engine.detach(hook, kept)
    assert not standing()
    sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": "https://somebody.example/else"})
    with pytest.raises(Failed) as told:
        make_engine.attach(hook, url, {})
    assert told.value.type == "InvalidConfigurationError"
    make_engine.detach(hook, kept)
    assert standing() == "https://somebody.example/else"


def test_an_event_fires_only_the_triggers_that_are_about_it(make_engine):
    event = {"event": "connection_error", "data": {"connection_id": "7100"}, "received_at": "2026-05-04T06:00:00Z"}
    [own], [any_event] = (make_engine.receive(hook, event) for hook in ("hookConnectionError", "hookBankingEvent"))
    assert make_engine.receive("hookRefreshComplete", event) == []
    assert {one.pop("received_at") for one in (own, any_event)} == {event["received_at"]}
    moments = [one.pop("_arrived_at") for one in (own, any_event)]
    assert all(moment.tzinfo is not None for moment in moments)
    assert own == {"connection_id": "7100", "_confirmed": False}
    assert any_event == {"_event": "connection_error", "connection_id": "7100", "_confirmed": False}


def test_an_event_cannot_say_itself_that_it_is_confirmed_or_when_it_came(make_engine):
    past = "1999-01-01T00:00:00Z"
    data = {"connection_id": "7100", "_confirmed": True, "received_at": past, "_arrived_at": past}
    event = {"event": "connection_error", "data": data, "received_at": "2026-05-04T06:00:00Z"}
    [told] = make_engine.receive("hookConnectionError", event)
    assert told["_confirmed"] is False
    assert told["received_at"] == event["received_at"]
    assert told["_arrived_at"] != past


def test_through_a_host_every_action_and_dropdown_works(make_through_host, make_session):
    make_through_host.test_connection("kontor")
    for action in CONNECTOR.actions.values():
        inputs = all_inputs(action, make_session)
        more = {"key": f"run-{action.id}"} if action.writes else {}
        sent = make_through_host.module_request(module_id(action), {**inputs, **more})
        assert sent.told()["path"] == f"/v1/actions/{action.id}/run"
        assert sent.body().get("key") == more.get("key")
        assert make_through_host.run(module_id(action), {**inputs, **more}), action.id
    for lookup in CONNECTOR.lookups.values():
        given = {f"of_{name}": value for name, value in all_inputs(lookup, make_session).items()}
        query = "&".join(f"{name}={str(value).lower() if value is True else value}" for name, value in given.items())
        assert make_through_host.options(f"rpc://{rpc_id(lookup.id)}?{query}", {}), lookup.id


def test_through_a_host_a_wrong_input_is_told_before_anything_is_sent(make_through_host, make_session, sandbox):
    inputs = all_inputs(CONNECTOR.action("create_cash_book_entry"), make_session)
    with pytest.raises(Failed) as told:
        make_through_host.run("createCashBookEntry", {**inputs, "betrag": "-41.64"})
    assert told.value.type == "DataError"
    assert "0.01" in told.value.message
    assert [row for row in sandbox.requests() if row["method"] == "POST"] == []


def test_through_a_host_a_payment_that_waits_for_approval_gives_its_run(a_host, make_through_host, make_session):
    inputs = all_inputs(CONNECTOR.action("initiate_payment"), make_session)
    assert a_host.http.put("/v1/policy", json={"approve_above": 1}).status_code == 200
    [waiting] = make_through_host.run("initiatePayment", inputs)
    assert waiting["state"] == "awaiting_approval"
    assert a_host.http.get(f"/v1/runs/{waiting['run']}").json()["run"]["state"] == "awaiting_approval"


def test_through_a_host_a_scenario_subscribes_and_ends_its_subscription(make_through_host):
    hook = webhook_id(CONNECTOR.trigger("new_payment"))
    kept = make_through_host.attach(hook, "http://127.0.0.1:9/hook", {})
    assert kept["externalHookId"]
    make_through_host.detach(hook, kept)
    assert make_through_host.receive(hook, {"id": "5012", "_id": "5012"}) == [{"id": "5012", "_id": "5012"}]
