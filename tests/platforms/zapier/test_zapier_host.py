"""The app that talks to a Kontor host: its guards reach Zapier, and each Zap has a subscription of its own."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from connector import Connector
from connector.core.values import json as json_values
from connector.durable.sending import signing
from connector.durable.sending.signing import new_secret
from connector.export import zapier
from connector.export.shape import ExportOptions
from connector.export.zapier.actions import ZAPIER_SECONDS
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.host.running_host import KEY, TOKEN
from tests.platforms.n8n.engine.stub_service import stub_service
from tests.platforms.small_bank import small_bank
from tests.platforms.zapier.zapier_engine import ZapierError
from tests.platforms.zapier.zapier_form import form
from tests.support.filled_in import all_inputs
from tests.support.running_sandbox import Receiver

pytestmark = pytest.mark.platforms
MANIFESTS = Connector("unused")
OPEN_ITEMS = MANIFESTS.action("get_open_items")


@pytest.fixture
def engine(hosted, host):
    hosted.auth = {"host_url": host.url, "host_token": TOKEN, "api_key": KEY}
    return hosted


def run(engine, id, inputs, **more):
    kind = "creates" if MANIFESTS.action(id).writes else "searches"
    return engine.execute(f"{kind}.{id}.operation.perform", {**form(MANIFESTS.action(id), inputs), **more})


def page_of(engine, number):
    meta = {"zap": {"id": 77}, "page": number}
    return [one["id"] for one in engine.execute("triggers.options_payments.operation.perform", meta=meta)]


def test_a_dropdown_shows_all_options_page_by_page(engine, sandbox):
    sandbox.order("/payments", count=120)
    pages = [page_of(engine, number) for number in range(3)]
    assert [len(page) for page in pages] == [100, len(set(pages[0] + pages[1])) - 100, 0]
    assert len(pages[1]) >= 20


def test_a_dropdown_goes_on_where_its_last_page_ended_however_long_the_list_is(engine):
    ids = [f"{number:05}" for number in range(12_345)]

    def answer(method, path, body):
        begin = ids.index(body["after"]) + 1 if "after" in body else 0
        page = ids[begin : begin + body["limit"]]
        more = begin + len(page) < len(ids)
        return 200, {"options": [{"value": id, "label": id} for id in page], "next": page[-1] if more else None}

    with stub_service(answer) as stub:
        engine.auth = {**engine.auth, "host_url": stub.url}
        shown = [page_of(engine, number) for number in range(125)]
        assert [id for page in shown for id in page] == ids
        assert {len(page) for page in shown[:123]} == {100}
        asked = len(stub.asked)
        assert shown[124] == page_of(engine, 125) == [], "after the last page nobody is asked"
        assert asked == len(stub.asked) == 124
        assert page_of(engine, 0) == ids[:100], "a form that is opened anew begins at the top"


@pytest.fixture
def back():
    """The address that Zapier would give for one waiting step."""
    receiver = Receiver()
    yield receiver
    receiver.close()


def waits(engine, back, action, inputs):
    """Begins a slow step; returns what Zapier hands on when the host calls back: the step's output, the request."""
    waiting = engine.whole(f"searches.{action.id}.operation.perform", form(action, inputs), callback_url=back.url)
    assert waiting["status"] == "CALLBACK"
    back.next()
    return waiting["results"], back.bodies[-1].decode(), renamed(back.headers[-1])


def renamed(headers):
    """Headers as Zapier names them."""
    return {f"Http-{name.title()}": value for name, value in headers.items()}


def resumed(engine, action, inputs, output, body, headers):
    raw = {"method": "POST", "querystring": "", "headers": headers, "content": body}
    bundle = {"rawRequest": raw, "cleanedRequest": json.loads(body), "outputData": output}
    return engine.execute(f"searches.{action.id}.operation.performResume", form(action, inputs), **bundle)


def test_every_action_gives_what_the_runtime_gives(engine, back, session, sandbox):
    for id, action in MANIFESTS.actions.items():
        inputs = all_inputs(action, session)
        if action.timeout > ZAPIER_SECONDS:
            results = resumed(engine, action, inputs, *waits(engine, back, action, inputs))
        else:
            results = run(engine, id, inputs)
        if not action.writes:
            output = session.invoke(id, inputs).output
            assert results == (output["items"] if action.is_list else [output]), id
        else:
            assert isinstance(results, dict), id


def test_ledger_calls_carry_zapiers_label(engine, session, sandbox):
    run(engine, "list_cash_books", all_inputs(MANIFESTS.action("list_cash_books"), session))
    sent = [row for row in sandbox.requests() if row["path"] == "/v2/ledger-duo/kassenbuecher"]
    assert sent[-1]["query"]["quelle"] == "zapier"


def test_the_same_key_pays_once_however_often_zapier_replays(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("initiate_payment"), session)
    first = run(engine, "initiate_payment", inputs, kontor_key="order-17")
    second = run(engine, "initiate_payment", inputs, kontor_key="order-17")
    assert first["id"] == second["id"]
    posted = [row for row in sandbox.requests() if (row["method"], row["path"]) == ("POST", "/v2/banking/payments")]
    assert len(posted) == 1
    assert posted[0]["body"]["custom_fields"]["kontor_key"] == "zapier-77-order-17"


def test_a_replay_without_a_key_is_held_back_by_the_host_and_can_be_meant(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("initiate_payment"), session)
    run(engine, "initiate_payment", inputs)
    with pytest.raises(ZapierError) as caught:
        run(engine, "initiate_payment", inputs)
    told = json.loads(str(caught.value))
    assert told["code"] == "likely_repeat"
    assert "choose yes under 'Send Again on Purpose'" in told["message"]
    run(engine, "initiate_payment", inputs, kontor_again=True)
    assert [(row["method"], row["path"]) for row in sandbox.requests()].count(("POST", "/v2/banking/payments")) == 2


def test_what_a_host_refuses_names_the_field_as_the_form_does(engine, session):
    inputs = all_inputs(MANIFESTS.action("initiate_payment"), session)
    with pytest.raises(ZapierError) as caught:
        run(engine, "initiate_payment", {**inputs, "creditor_iban": "no iban"})
    message = json.loads(str(caught.value))["message"]
    assert message.startswith("Recipient's IBAN: It is not an IBAN. Correct this field")


def test_what_the_service_says_ends_before_what_to_do_begins(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("initiate_payment"), session)
    fault = {"kind": "answer_before", "status": 404, "content": '{"error": "No such account"}'}
    sandbox.order("/faults", **fault, match={"method": "POST", "path": "/v2/banking/payments"})
    with pytest.raises(ZapierError) as caught:
        run(engine, "initiate_payment", inputs)
    assert "No such account. " in json.loads(str(caught.value))["message"]


def test_a_wrong_token_is_told_with_the_field_of_the_account(engine):
    engine.auth = {**engine.auth, "host_token": "wrong"}
    with pytest.raises(ZapierError) as caught:
        engine.execute("authentication.test")
    assert "in the connected account under 'Kontor Host Token'" in str(caught.value)


def test_a_payment_that_waits_for_approval_gives_its_run_and_until_when_it_waits(engine, host, session, sandbox):
    assert host.http.put("/v1/policy", json={"approve_above": 1}).status_code == 200
    waiting = run(engine, "initiate_payment", all_inputs(MANIFESTS.action("initiate_payment"), session))
    [kept] = host.http.get("/v1/approvals").json()["runs"]
    assert waiting["state"] == "awaiting_approval"
    assert waiting["run"] == kept["id"]
    assert datetime.fromisoformat(waiting["expires_at"]) > datetime.now(UTC)


def test_a_parked_booking_is_not_booked_by_a_replay(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    sandbox.order("/faults", kind="drop_after", match={"method": "POST"})
    codes = []
    for key in ("order-17", "order-17", "", "order-18"):
        with pytest.raises(ZapierError) as caught:
            run(engine, "create_cash_book_entry", inputs, kontor_key=key, kontor_again=True)
        codes.append(json.loads(str(caught.value))["code"])
    assert codes == ["outcome_unknown", "outcome_unknown", "likely_repeat", "likely_repeat"]
    assert [row["method"] for row in sandbox.requests()].count("POST") == 1


def test_a_host_that_does_not_answer_leaves_a_payment_unknown(engine, session):
    inputs = all_inputs(MANIFESTS.action("initiate_payment"), session)
    with small_bank() as silent:
        silent.loses = 2
        engine.auth = {**engine.auth, "host_url": silent.url}
        for key, words in (("order-17", "with the same 'Key Against Repeats'"), ("", "before this step is run again")):
            with pytest.raises(ZapierError, match=words) as caught:
                run(engine, "initiate_payment", inputs, kontor_key=key)
            assert json.loads(str(caught.value))["code"] == "outcome_unknown"


def test_dropdowns_come_from_the_host(engine, session):
    triggers = json.loads(zapier.build(MANIFESTS, ExportOptions(via="host")).files["kontor-app.json"])["triggers"]
    everything = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    everything |= {"account_id": MAIN_ACCOUNT, "geschaeftsjahrStartDatum": f"{session.clock.utcnow():%Y}-01-01"}
    for key, one in triggers.items():
        if one["display"].get("hidden"):
            found = engine.execute(f"triggers.{key}.operation.perform", everything)
            assert found, key
            assert all(option["id"] and option["name"] for option in found), key


def test_errors_carry_the_hosts_remedy(engine, session):
    inputs = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    with pytest.raises(ZapierError, match=r"difference is 0\.01 EUR.*Nothing was sent"):
        run(engine, "create_cash_book_entry", {**inputs, "betrag": -41.64})
    engine.auth = {**engine.auth, "api_key": "wrong"}
    with pytest.raises(ZapierError) as caught:
        run(engine, "list_bank_accounts", {})
    assert caught.value.name == "ExpiredAuthError"


def test_a_host_that_is_down_or_in_the_clear_is_told(engine):
    engine.auth = {**engine.auth, "host_url": "http://127.0.0.1:9"}
    with pytest.raises(ZapierError, match=r"127\.0\.0\.1:9.*Nothing was changed"):
        run(engine, "list_bank_accounts", {})
    engine.auth = {**engine.auth, "host_url": "http://kontor.example"}
    with pytest.raises(ZapierError, match="must begin with https"):
        run(engine, "list_bank_accounts", {})


def test_a_search_that_finds_nothing_is_empty(engine):
    assert run(engine, "get_payment", {"id": "1"}) == []


def test_long_ids_and_long_amounts_pass_unchanged(engine, sandbox):
    amount = Decimal("1234567890123.45")
    sandbox.order_exact("/transactions", {"account_id": MAIN_ACCOUNT, "amount": amount})
    newest = run(engine, "list_transactions", {"account_id": MAIN_ACCOUNT, "sort": "id"})[-1]
    assert newest["amount"] == amount
    assert int(newest["id"]) > 2**53


@pytest.mark.parametrize("id", sorted(MANIFESTS.triggers))
def test_every_trigger_subscribes_and_unsubscribes(id, engine, host, session):
    receiver = Receiver()
    trigger = MANIFESTS.trigger(id)
    inputs = {name: value for name, value in all_inputs(trigger, session).items() if name != "status"}
    shown = {field.name for field in trigger.inputs if not field.internal}
    inputs = {name: value for name, value in inputs.items() if name in shown}
    subscribed = engine.execute(f"triggers.{id}.operation.performSubscribe", inputs, targetUrl=receiver.url)
    there = host.http.get(f"/v1/subscriptions/{subscribed['id']}").json()
    assert there["subscription"]["trigger"] == id
    engine.execute(
        f"triggers.{id}.operation.performUnsubscribe", inputs, targetUrl=receiver.url, subscribeData=subscribed
    )
    gone = host.http.get(f"/v1/subscriptions/{subscribed['id']}")
    assert gone.status_code == 404 or gone.json()["subscription"]["state"] == "ended"
    receiver.close()


def test_the_editor_shows_what_the_service_shows(engine, session, sandbox):
    sandbox.order("/transactions", account_id=MAIN_ACCOUNT, count=5)
    for id, trigger in MANIFESTS.triggers.items():
        shown = {field.name for field in trigger.inputs if not field.internal} - {"status"}
        inputs = {name: value for name, value in all_inputs(trigger, session).items() if name in shown}
        found = engine.execute(f"triggers.{id}.operation.performList", inputs)
        assert 1 <= len(found) <= 3, id
        assert all(item["id"] for item in found)
    newest = run(engine, "list_transactions", {"account_id": MAIN_ACCOUNT, "sort": "id"})
    shown = engine.execute("triggers.new_transaction.operation.performList", {"account_id": MAIN_ACCOUNT})
    assert [item["id"] for item in shown] == [row["id"] for row in newest][:-4:-1]
    payment = sandbox.api.get("/v2/banking/payments").json()["data"][0]
    sandbox.order(f"/payments/{payment['id']}", status="settled")
    [settled] = engine.execute("triggers.payment_settled.operation.performList", {"payment_id": payment["id"]})
    assert (settled["id"], settled["status"]) == (f"{payment['id']}:settled", "settled")


@pytest.fixture
def settled(engine, sandbox, session):
    """A Zap's subscription, and a delivery to it as Zapier hands it on."""
    receiver = Receiver()
    subscribed = engine.execute("triggers.payment_settled.operation.performSubscribe", {}, targetUrl=receiver.url)
    payment = run(engine, "initiate_payment", all_inputs(MANIFESTS.action("initiate_payment"), session))
    sandbox.order(f"/payments/{payment['id']}", status="settled")
    body = json_values.encode(receiver.next()).decode()
    receiver.close()
    return subscribed, body, renamed(receiver.headers[-1])


def received(engine, subscribed, body, headers):
    raw = {"method": "POST", "querystring": "", "headers": headers, "content": body}
    bundle = {"rawRequest": raw, "cleanedRequest": json.loads(body), "subscribeData": subscribed}
    return engine.execute("triggers.payment_settled.operation.perform", {}, **bundle)


def test_a_settled_payment_reaches_the_zap(engine, settled):
    [item] = received(engine, *settled)
    assert item["status"] == "settled"
    assert item["id"] == item["_id"] == f"{item['payment_id']}:settled"
    assert datetime.fromisoformat(item["received_at"]).tzinfo is not None


def test_what_the_host_has_not_signed_starts_no_zap(engine, settled):
    subscribed, body, headers = settled
    forged = body.replace("settled", "failed")
    assert forged != body
    assert received(engine, subscribed, forged, headers) == []
    assert received(engine, subscribed, body, {**headers, "Http-Webhook-Signature": "v1,AAAA"}) == []
    assert received(engine, subscribed, body, {**headers, "Http-Webhook-Id": "msg_1"}) == []
    assert received(engine, subscribed, body, {}) == []
    assert received(engine, {**subscribed, "secret": new_secret()}, body, headers) == []
    assert received(engine, {"id": subscribed["id"]}, body, headers) == []
    old = signing.headers(subscribed["secret"], "msg_1", body, datetime.now(UTC) - timedelta(days=2))
    assert received(engine, subscribed, body, old) == []


def test_while_a_secret_is_replaced_both_start_a_zap(engine, settled):
    subscribed, body, _ = settled
    second = new_secret()
    both = signing.headers(second, "msg_1", body, datetime.now(UTC), subscribed["secret"])
    assert received(engine, subscribed, body, both) == received(engine, {**subscribed, "secret": second}, body, both)
    assert len(received(engine, subscribed, body, both)) == 1


def test_the_account_is_tested_through_the_host(engine):
    assert "bank accounts)" in engine.execute("authentication.test")["label"]
    engine.auth = {**engine.auth, "host_token": "wrong"}
    with pytest.raises(ZapierError):
        engine.execute("authentication.test")


def test_a_slow_call_that_fails_meanwhile_says_what_to_do(engine, back, session):
    inputs = all_inputs(OPEN_ITEMS, session)
    engine.auth = {**engine.auth, "api_key": "wrong-key-of-some-length"}
    output, body, headers = waits(engine, back, OPEN_ITEMS, inputs)
    with pytest.raises(ZapierError) as caught:
        resumed(engine, OPEN_ITEMS, inputs, output, body, headers)
    error = json.loads(body)["error"]
    assert f"{error['message']} {error['remedy']['en']}" in str(caught.value)


def test_a_call_back_that_the_host_has_not_signed_is_no_result(engine, back, session):
    inputs = all_inputs(OPEN_ITEMS, session)
    output, body, headers = waits(engine, back, OPEN_ITEMS, inputs)
    assert resumed(engine, OPEN_ITEMS, inputs, output, body, headers)
    forged = json.dumps({"ok": True, "output": {"items": [{"betrag": 1}]}})
    other = [{"callback_secret": new_secret()}]
    for case in [(output, forged, headers), (output, forged, {}), (other, body, headers), ([{}], body, headers)]:
        with pytest.raises(ZapierError, match="has not signed") as caught:
            resumed(engine, OPEN_ITEMS, inputs, *case)
        assert json.loads(str(caught.value))["code"] == "bad_reply"


def test_a_slow_call_with_a_wrong_input_fails_at_once(engine, back):
    with pytest.raises(ZapierError, match=r"must be a UUID.*Nothing was sent"):
        waits(engine, back, OPEN_ITEMS, {"ledger_connection": "no-such"})
    assert back.events.empty()


def test_a_time_in_utc_is_the_day_in_the_zone_of_the_zap(engine, sandbox):
    asked = {"created_from": "2026-05-14T21:30:00Z"}
    meta = {"zap": {"id": 77}, "timezone": "Europe/Helsinki"}
    engine.execute("searches.list_payments.operation.perform", asked, meta=meta)
    sent = [row for row in sandbox.requests() if row["path"] == "/v2/banking/payments"]
    # The host itself may read the list too.
    assert [row for row in sent if "2026-05-15" in row["query"].values()]
    assert not [row for row in sent if "2026-05-14" in row["query"].values()]
