"""Stateless calls over HTTP: actions, dropdowns, the credential's test, and the manifests behind them."""

from __future__ import annotations

import json
from decimal import Decimal

from connector import Credential
from connector.sandbox.ledger.demo import ledger_connection_id
from connector.store.rates import usage
from connector.store.rates.usage import Budget
from tests.interfaces.host.running_host import KEY, PAYMENT, RunningHost
from tests.support.running_sandbox import RunningSandbox

LEDGER = ledger_connection_id("nordlicht")


def payments(sandbox: RunningSandbox) -> int:
    return len(sandbox.world.banking.payments)


def test_an_action_runs_and_says_what_it_cost(host: RunningHost) -> None:
    answer = host.run("list_transactions", {"account_id": PAYMENT["account_id"]})
    document = answer.json()
    assert answer.status_code == 200
    assert (document["ok"], document["action"], document["replayed"]) == (True, "list_transactions", False)
    assert document["credits"]["cost"] == 1
    assert document["output"]["items"]


def test_amounts_and_ids_pass_to_the_digit(host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.order_exact("/transactions", {"amount": Decimal("1234567890123.45")})
    text = host.run("list_transactions", {"account_id": PAYMENT["account_id"], "sort": "id"}).text
    last = json.loads(text, parse_float=Decimal)["output"]["items"][-1]
    assert last["amount"] == Decimal("1234567890123.45")
    assert isinstance(last["id"], str)


def test_the_same_key_pays_once_whether_it_comes_in_the_header_or_in_the_body(
    host: RunningHost, sandbox: RunningSandbox
) -> None:
    before = payments(sandbox)
    first = host.http.post(
        "/v1/actions/initiate_payment/run", json={"inputs": PAYMENT}, headers={"idempotency-key": "run-7-step-2"}
    )
    quoted = host.http.post(
        "/v1/actions/initiate_payment/run", json={"inputs": PAYMENT}, headers={"idempotency-key": '"run-7-step-2"'}
    )
    in_body = host.run("initiate_payment", PAYMENT, key="run-7-step-2")
    assert [one.json()["replayed"] for one in (first, quoted, in_body)] == [False, True, True]
    assert {one.json()["output"]["id"] for one in (first, quoted, in_body)} == {first.json()["output"]["id"]}
    assert payments(sandbox) == before + 1


def test_two_different_keys_in_one_request_are_refused_before_anything_is_sent(
    host: RunningHost, sandbox: RunningSandbox
) -> None:
    before = payments(sandbox)
    answer = host.http.post(
        "/v1/actions/initiate_payment/run",
        json={"inputs": PAYMENT, "key": "one"},
        headers={"idempotency-key": "other"},
    )
    assert (answer.status_code, answer.json()["field"], payments(sandbox)) == (400, "key", before)
    twice = [("idempotency-key", "one"), ("idempotency-key", "other")]
    answer = host.http.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT}, headers=twice)
    assert (answer.status_code, answer.json()["field"], payments(sandbox)) == (400, "key", before)


def test_a_dry_run_shows_the_request_without_the_key_and_sends_nothing(
    host: RunningHost, sandbox: RunningSandbox
) -> None:
    before = len(sandbox.requests())
    answer = host.run("initiate_payment", PAYMENT, dry_run=True)
    assert (answer.status_code, answer.json()["dry_run"]) == (200, True)
    assert answer.json()["output"]["method"] == "POST"
    assert KEY not in answer.text
    assert [entry for entry in sandbox.requests()[before:] if entry["method"] == "POST"] == []


def test_a_dropdown_answers_post_and_get_alike_and_is_cached(host: RunningHost) -> None:
    posted = host.http.post("/v1/lookups/cash_books", json={"inputs": {"ledger_connection": LEDGER}})
    got = host.http.get("/v1/lookups/cash_books", params={"ledger_connection": LEDGER})
    assert posted.status_code == got.status_code == 200
    assert posted.json()["options"] == got.json()["options"] != []
    assert (posted.json()["cached"], got.json()["cached"]) == (False, True)
    one = posted.json()["options"][0]["label"]
    found = host.http.get("/v1/lookups/cash_books", params={"ledger_connection": LEDGER, "search": one.upper()})
    assert [option["label"] for option in found.json()["options"]] == [one]


def test_a_dropdown_answers_in_the_callers_language_without_asking_twice(
    host: RunningHost, sandbox: RunningSandbox
) -> None:
    def first(language: str) -> tuple[str, str]:
        one = host.http.get("/v1/lookups/payments", headers={"accept-language": language}).json()["options"][0]
        return one["label"], one["hint"]

    def asked() -> int:
        # The host itself reads payments by their ids, once its webhook URL is set.
        return sum(one["path"] == "/v2/banking/payments" and not one["query"] for one in sandbox.requests())

    (english, hint), before = first("en"), asked()
    german, hinweis = first("de-DE,de;q=0.9")
    assert first("de") == (german, hinweis)
    assert first("en") == (english, hint)
    assert asked() == before
    assert "." in english.rpartition(", ")[2]
    assert "," in german.rpartition(" EUR")[0][-3:]
    assert hint != hinweis


def test_a_currency_and_a_year_have_german_names(host: RunningHost) -> None:
    answer = host.http.get("/v1/lookups/currencies", headers={"accept-language": "de"}, params={"search": "dirham"})
    assert {"value": "AED", "label": "AED – VAE-Dirham", "hint": "0,01"} in answer.json()["options"]
    years = host.http.get("/v1/lookups/fiscal_years", headers={"accept-language": "de"}).json()["options"]
    assert years[0]["label"].endswith("(01.01.{0} – 31.12.{0})".format(years[0]["value"][:4]))


def test_a_dropdown_says_which_input_is_missing(host: RunningHost) -> None:
    for answer in (host.http.post("/v1/lookups/cash_books", json={}), host.http.get("/v1/lookups/cash_books")):
        assert (answer.status_code, answer.json()["field"]) == (422, "ledger_connection")


def test_an_input_that_stands_twice_in_the_address_is_refused(host: RunningHost) -> None:
    answer = host.http.get(f"/v1/lookups/cash_books?ledger_connection={LEDGER}&ledger_connection={LEDGER}")
    assert (answer.status_code, answer.json()["field"]) == (400, "ledger_connection")


def test_a_member_that_is_given_twice_is_refused_by_name_and_nothing_is_sent(
    host: RunningHost, sandbox: RunningSandbox
) -> None:
    before = payments(sandbox)
    body = json.dumps({"inputs": PAYMENT}).replace('"amount"', '"amount": 1, "amount"')
    answer = host.http.post("/v1/actions/initiate_payment/run", content=body)
    assert (answer.status_code, answer.json()["field"]) == (400, "amount")
    assert payments(sandbox) == before


def test_the_credential_is_tested_and_named_by_its_label(host: RunningHost) -> None:
    answer = host.http.post("/v1/credential/test", headers={"x-kontor-quelle": "n8n"})
    assert (answer.status_code, answer.json()["ok"], answer.json()["quelle"]) == (200, True, "n8n")


def test_a_refused_key_is_401_and_told_apart_from_a_refused_host_token(host: RunningHost) -> None:
    with host.caller(key="no-such-key-at-all") as stranger:
        answer = stranger.post("/v1/credential/test")
    assert (answer.status_code, answer.json()["kind"]) == (401, "key_refused")
    assert "no-such-key-at-all" not in answer.text


def test_in_a_trial_whoever_brings_no_key_works_with_the_demo_key(host: RunningHost) -> None:
    with host.caller(key=None) as visitor:
        assert visitor.post("/v1/credential/test").status_code == 200


def test_for_real_no_key_is_lent(real_host: RunningHost) -> None:
    with real_host.caller(key=None) as visitor:
        answer = visitor.post("/v1/actions/list_bank_accounts/run", json={})
    assert (answer.status_code, answer.json()["kind"], answer.json()["outcome"]) == (401, "key_refused", "not_sent")


def test_a_stateless_call_stores_no_key(real_host: RunningHost) -> None:
    assert real_host.run("list_bank_accounts").status_code == 200
    assert real_host.http.get("/v1/credentials").json()["credentials"] == []


def test_a_caller_may_not_name_another_service(real_host: RunningHost, sandbox: RunningSandbox) -> None:
    answer = real_host.http.post("/v1/credential/test", headers={"x-kontor-base-url": sandbox.url})
    assert (answer.status_code, answer.json()["field"]) == (400, "x-kontor-base-url")


def test_each_flow_spends_within_its_own_budget(host: RunningHost, sandbox: RunningSandbox) -> None:
    fingerprint = Credential(sandbox.url, KEY).fingerprint
    host.state.database.write(lambda one: usage.set_budget(one, fingerprint, Budget(per_flow=2))).result()
    body = {"inputs": {"account_id": PAYMENT["account_id"]}}
    flows = ("night", "night", "day")
    answers = [
        host.http.post("/v1/actions/list_transactions/run", json=body, headers={"x-kontor-flow": flow})
        for flow in flows
    ]
    assert [answer.status_code for answer in answers] == [200, 402, 200]


def test_lists_show_every_manifest_and_one_is_shown_whole(host: RunningHost) -> None:
    connector = host.http.get("/v1/connector").json()
    for kind in ("actions", "lookups", "triggers"):
        listed = [one["id"] for one in host.http.get(f"/v1/{kind}").json()[kind]]
        assert listed == connector[kind] != []
    action = host.http.get("/v1/actions/initiate_payment").json()["manifest"]
    trigger = host.http.get("/v1/triggers/new_payment").json()["manifest"]
    assert (action["id"], trigger["id"]) == ("initiate_payment", "new_payment")
    assert host.http.get("/v1/triggers/new_payment/sample").json()["items"][0]["_id"]


def test_what_is_not_there_is_not_found_and_the_nearest_name_is_offered(host: RunningHost) -> None:
    for answer in (
        host.http.get("/v1/actions/initiate_paymint"),
        host.run("initiate_paymint", PAYMENT),
        host.http.get("/v1/triggers/new_paymint"),
        host.http.get("/v1/triggers/new_paymint/sample"),
        host.http.post("/v1/triggers/new_paymint/poll", json={}),
        host.http.get("/v1/lookups/paymints"),
        host.http.post("/v1/lookups/paymints", json={}),
    ):
        assert (answer.status_code, answer.json()["kind"]) == (404, "not_found")
        assert "payment" in answer.json()["remedy"]["en"]


def test_options_come_in_pages_by_both_methods(host):
    posted = host.http.post("/v1/lookups/payments", json={"limit": 2}).json()
    got = host.http.get("/v1/lookups/payments", params={"limit": "2"}).json()
    assert posted["options"] == got["options"]
    assert posted["next"] == got["next"] == got["options"][-1]["value"]
    behind = host.http.get("/v1/lookups/payments", params={"limit": "1", "after": got["next"]}).json()
    assert int(behind["options"][0]["value"]) < int(got["next"])
    for page in ({"limit": "x"}, {"limit": "0"}, {"after": "unknown"}):
        refused = host.http.get("/v1/lookups/payments", params=page)
        assert (refused.status_code, refused.json()["field"]) == (422, next(iter(page))), refused.text
