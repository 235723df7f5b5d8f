"""Triggers in Zapier's engine: polls that find what the runtime finds, and webhooks that steal nobody's URL."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal

import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.zapier.zapier_engine import ZapierError

pytestmark = pytest.mark.platforms
OURS = "https://hooks.example/standard/1/a"
FOREIGN = "https://elsewhere.example/hook"


def poll(engine, id, inputs=None):
    return engine.execute(f"triggers.{id}.operation.perform", inputs)


def primary(items):
    return [item["_id"] for item in items]


def url_set(sandbox):
    return sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]


def set_url(sandbox, url):
    assert sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": url}).status_code == 200


def bank_of_main_account(sandbox):
    return next(
        row["connection_id"]
        for row in sandbox.api.get("/v2/banking/payments").json()["data"]
        if row["account_id"] == MAIN_ACCOUNT
    )


def test_new_transactions_come_newest_first_and_keep_their_ids(engine, sandbox):
    known = primary(poll(engine, "new_transaction", {"account_id": MAIN_ACCOUNT}))
    sandbox.order("/transactions", account_id=MAIN_ACCOUNT, count=3)
    items = poll(engine, "new_transaction", {"account_id": MAIN_ACCOUNT})
    fresh = items[:3]
    assert primary(items)[3:] == known
    assert [int(item["id"]) for item in fresh] == sorted((int(item["id"]) for item in fresh), reverse=True)
    assert all(int(item["id"]) > 2**53 and item["_id"] == item["id"] for item in fresh)
    assert sandbox.requests()[-1]["query"]["sort"] == "id"


def test_a_pending_transaction_fires_once_it_is_posted(engine, sandbox):
    sandbox.order("/transactions", account_id=MAIN_ACCOUNT, status="pending")
    inputs = {"account_id": MAIN_ACCOUNT}
    all_rows = sandbox.api.get("/v2/banking/transactions", params={**inputs, "sort": "id"}).json()["data"]
    id = all_rows[-1]["id"]
    assert id not in primary(poll(engine, "new_transaction", inputs))
    assert id in primary(poll(engine, "new_transaction", {**inputs, "include_pending": True}))
    sandbox.order(f"/transactions/{id}", status="posted")
    assert poll(engine, "new_transaction", inputs)[0]["id"] == id


def test_a_poll_without_a_source_is_refused_before_a_credit_is_spent(engine, sandbox):
    before = len(sandbox.requests())
    with pytest.raises(ZapierError, match="Choose a bank connection or a bank account"):
        poll(engine, "new_transaction")
    assert len(sandbox.requests()) == before


def test_payments_fire_by_id_and_by_status(engine, sandbox):
    payment = poll(engine, "new_payment")[0]
    assert payment["_id"] == payment["id"]
    changed = poll(engine, "payment_status_changed")
    assert all(item["_id"] == f"{item['id']}:{item['status']}" for item in changed)
    settled = poll(engine, "payment_status_changed", {"status": "settled"})
    assert {item["status"] for item in settled} == {"settled"}


@pytest.mark.parametrize("id", ["new_bank_account", "new_mobility_customer"])
def test_lists_fire_newest_first(id, engine):
    items = poll(engine, id)
    assert items
    assert [item["created_at"] for item in items] == sorted((item["created_at"] for item in items), reverse=True)


def test_a_consent_that_ends_soon_and_a_bank_in_trouble_are_told(engine, sandbox):
    bank = {"connection_id": bank_of_main_account(sandbox)}
    assert poll(engine, "consent_expires_soon", {**bank, "days": 1}) == []
    assert poll(engine, "bank_connection_needs_attention", bank) == []
    sandbox.order(f"/bank-connections/{bank['connection_id']}/expire-consent")
    ending = poll(engine, "consent_expires_soon", {**bank, "days": 1})
    assert [item["_days_left"] for item in ending] == [0]
    trouble = poll(engine, "bank_connection_needs_attention", bank)
    assert len(trouble) == 1
    assert trouble[0]["_id"].startswith(f"{bank['connection_id']}:")


def hook(engine, part, id="payment_settled", inputs=None, **bundle):
    return engine.execute(f"triggers.{id}.operation.{part}", inputs, targetUrl=OURS, **bundle)


def test_a_free_url_is_taken_and_a_foreign_one_is_left_alone(engine, sandbox):
    subscribed = hook(engine, "performSubscribe")
    assert url_set(sandbox) == OURS
    assert hook(engine, "performSubscribe") == subscribed
    set_url(sandbox, FOREIGN)
    with pytest.raises(ZapierError, match="elsewhere"):
        hook(engine, "performSubscribe")
    assert url_set(sandbox) == FOREIGN


def test_a_foreign_url_is_replaced_only_if_allowed_and_then_given_back(engine, sandbox):
    set_url(sandbox, FOREIGN)
    subscribed = hook(engine, "performSubscribe", inputs={"replace_foreign_url": True})
    assert url_set(sandbox) == OURS
    hook(engine, "performUnsubscribe", subscribeData=subscribed)
    assert url_set(sandbox) == FOREIGN


def test_a_zap_that_is_switched_off_leaves_no_url_behind(engine, sandbox):
    subscribed = hook(engine, "performSubscribe")
    hook(engine, "performUnsubscribe", subscribeData=subscribed)
    assert url_set(sandbox) is None, "whoever comes next finds nothing foreign"


def test_a_url_that_somebody_took_over_meanwhile_is_not_touched(engine, sandbox):
    subscribed = hook(engine, "performSubscribe")
    set_url(sandbox, FOREIGN)
    hook(engine, "performUnsubscribe", subscribeData={**subscribed, "former": "https://old.example/hook"})
    assert url_set(sandbox) == FOREIGN


def test_only_a_settled_payment_that_the_service_confirms_fires(engine, sandbox):
    payments = sandbox.api.get("/v2/banking/payments").json()["data"]
    settled = next(row["id"] for row in payments if row["status"] == "settled")
    other = next(row["id"] for row in payments if row["status"] != "settled")

    def event(payment, status="settled", name="payment_update"):
        return {"event": name, "data": {"payment_id": payment, "status": status}, "received_at": "2026-05-04T06:00:00Z"}

    fired = hook(engine, "perform", cleanedRequest=event(settled))
    assert [item["_id"] for item in fired] == [f"{settled}:settled"]
    for forged in (event(other), event("1"), event(settled, "executed"), event(settled, name="something_new"), {}):
        assert hook(engine, "perform", cleanedRequest=forged) == []
    assert hook(engine, "perform", inputs={"payment_id": other}, cleanedRequest=event(settled)) == []


def test_events_pass_their_filters(engine, sandbox):
    bank = bank_of_main_account(sandbox)
    data = {"connection_id": bank, "status": "active", "refresh_type": "manual", "accounts": [{"id": "1"}]}
    body = {"event": "refresh_complete", "data": data, "received_at": "2026-05-04T06:00:00Z"}

    def fired(inputs, id="refresh_complete"):
        return hook(engine, "perform", id, inputs, cleanedRequest=body)

    assert fired({})[0]["connection_id"] == bank
    assert fired({})[0]["_id"] == fired({"account_id": MAIN_ACCOUNT, "refresh_type": "manual"})[0]["_id"]
    # What the event itself says of accounts counts for nothing.
    assert fired({"account_id": "1"}) == fired({"connection_id": "1"}) == []
    assert datetime.fromisoformat(fired({})[0]["received_at"]).tzinfo is not None
    assert fired({"event": "refresh_complete"}, "banking_event")[0]["_event"] == "refresh_complete"
    assert fired({"event": "payment_update"}, "banking_event") == []


def test_the_editor_has_samples_before_anything_happened(engine, app, sandbox):
    triggers = json.loads((app / "kontor-app.json").read_text(), parse_float=Decimal)["triggers"]
    hooks = [id for id, one in triggers.items() if one["operation"]["type"] == "hook"]
    assert hooks
    for id in hooks:
        takes = {field["key"] for field in triggers[id]["operation"]["inputFields"]}
        inputs = dict.fromkeys(takes & {"payment_id", "connection_id"}, "4711")
        assert hook(engine, "performList", id, inputs) == [triggers[id]["operation"]["sample"]]


def test_the_editor_shows_what_the_service_shows(engine, sandbox):
    payments = sandbox.api.get("/v2/banking/payments").json()["data"]
    sandbox.order(f"/payments/{payments[0]['id']}", status="settled")
    settled = hook(engine, "performList", "payment_settled")
    assert payments[0]["id"] in [item["payment_id"] for item in settled]
    for item in settled:
        assert item["status"] == "settled"
        assert item["id"] == item["_id"] == f"{item['payment_id']}:settled"
    [chosen] = hook(engine, "performList", "payment_settled", {"payment_id": payments[0]["id"]})
    event = json.dumps({"event": "payment_update", "data": {"payment_id": payments[0]["id"], "status": "settled"}})
    raw = {"method": "POST", "querystring": "", "headers": {}, "content": event}
    [fired] = hook(engine, "perform", rawRequest=raw, cleanedRequest=json.loads(event))
    assert set(fired) - set(chosen) <= {"received_at"}
    assert {name: value for name, value in fired.items() if name != "_arrived_at"}.items() <= chosen.items()


def test_the_editor_shows_bank_connections_as_they_are_now(engine, sandbox):
    bank, before = bank_of_main_account(sandbox), sandbox.balance()
    [refreshed] = hook(engine, "performList", "refresh_complete", {"connection_id": bank})
    assert refreshed["id"] == refreshed["_id"]
    assert MAIN_ACCOUNT in [one["id"] for one in refreshed["accounts"]]
    [manual] = hook(engine, "performList", "refresh_complete", {"connection_id": bank, "refresh_type": "manual"})
    assert manual["refresh_type"] == "manual"
    assert bank in [item["connection_id"] for item in hook(engine, "performList", "refresh_complete")]
    event = {"event": "refresh_complete", "data": {"connection_id": bank, "refresh_type": "manual"}}
    [fired] = hook(engine, "perform", "refresh_complete", {"connection_id": bank}, cleanedRequest=event)
    differs = {"id", "_id", "_arrived_at"}
    assert {name: fired[name] for name in fired if name not in differs}.items() <= manual.items()
    [of_any] = hook(engine, "performList", "banking_event", {"event": "refresh_complete", "connection_id": bank})
    assert of_any["_event"] == "refresh_complete"
    assert sandbox.balance() == before


def test_the_editor_shows_failed_and_deleted_bank_connections_only_where_there_are_some(engine, app, sandbox):
    bank = bank_of_main_account(sandbox)
    triggers = json.loads((app / "kontor-app.json").read_text(), parse_float=Decimal)["triggers"]

    def shown(id):
        items = hook(engine, "performList", id, {"connection_id": bank})
        return [] if items == [triggers[id]["operation"]["sample"]] else items

    assert shown("connection_error") == shown("connection_destroyed") == []
    sandbox.order(f"/bank-connections/{bank}/error", error_class="ProviderError", error_message="No answer")
    assert [item["error_message"] for item in shown("connection_error")] == ["No answer"]
    sandbox.order(f"/bank-connections/{bank}/destroy")
    assert shown("connection_error") == []
    assert [item["connection_id"] for item in shown("connection_destroyed")] == [bank]


def test_a_poll_is_paid_only_after_a_sign_that_something_moved(engine, sandbox):
    inputs, path = {"account_id": MAIN_ACCOUNT}, "triggers.new_transaction.operation.perform"

    def paid():
        return sum(bool(entry["credits_charged"]) for entry in sandbox.requests())

    first, before = poll(engine, "new_transaction", inputs), paid()
    for _ in range(5):
        assert poll(engine, "new_transaction", inputs) == []
    assert paid() == before
    everything = engine.execute(path, inputs, meta={"zap": {"id": 77}, "isPopulatingDedupe": True})
    assert primary(everything) == primary(first)
    assert engine.execute(path, inputs, meta={"zap": {"id": 78}}) != [], "another Zap"
    [new] = sandbox.order("/transactions", count=1)["data"]
    assert primary(poll(engine, "new_transaction", inputs))[0] == new["id"]
