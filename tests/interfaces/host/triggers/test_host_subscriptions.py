"""Subscriptions over HTTP, from the sandbox's event to a signed delivery; and the credentials behind them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.store.triggers import deliveries
from tests.interfaces.host.running_host import PAYMENT, RunningHost
from tests.support.running_sandbox import RunningSandbox


class Subscriber:
    """A flow's address: keeps what comes, whole; `answers` says with which status, 200 when it runs out."""

    def __init__(self) -> None:
        self.came: Queue[tuple[bytes, dict[str, str]]] = Queue()
        self.answers: list[int] = []
        subscriber = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                subscriber.came.put((body, {name.lower(): value for name, value in self.headers.items()}))
                self.send_response(subscriber.answers.pop(0) if subscriber.answers else 200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/flow"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def next(self, secret: str) -> Any:
        """The next delivery, verified by the reference implementation."""
        body, headers = self.came.get(timeout=60)
        Webhook(secret).verify(body, headers)
        return json.loads(body)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def flow() -> Iterator[Subscriber]:
    subscriber = Subscriber()
    yield subscriber
    subscriber.close()


def subscribe(host: RunningHost, trigger: str, flow: Subscriber, **more: Any) -> dict[str, Any]:
    answer = host.http.post("/v1/subscriptions", json={"trigger": trigger, "target_url": flow.url, **more})
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/v1/subscriptions/{document['id']}"
    assert document["secret"].startswith("whsec_")
    return document


def pay(host: RunningHost) -> str:
    id: str = host.run("initiate_payment", PAYMENT).json()["output"]["id"]
    return id


def settle(sandbox: RunningSandbox, id: str) -> None:
    for status in ("authorizing", "processing", "settled"):
        sandbox.order(f"/payments/{id}", status=status)


def test_a_settlement_at_the_bank_reaches_the_flow_signed(
    host: RunningHost, sandbox: RunningSandbox, flow: Subscriber
) -> None:
    made = subscribe(host, "payment_settled", flow)
    id = pay(host)
    settle(sandbox, id)
    item = flow.next(made["secret"])
    assert (item["_id"], item["status"]) == (f"{id}:settled", "settled")


def test_a_polled_trigger_reaches_the_flow_signed(host: RunningHost, sandbox: RunningSandbox, flow: Subscriber) -> None:
    made = subscribe(host, "new_payment", flow, start="all", name="my flow")
    first = flow.next(made["secret"])
    shown = host.http.get(f"/v1/subscriptions/{made['id']}").json()["subscription"]
    assert first["_id"]
    assert (shown["trigger"], shown["state"], shown["trouble"]) == ("new_payment", "active", None)
    assert shown["cursor_name"].endswith(":my flow")


def delivered(host: RunningHost, id: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = host.http.get(f"/v1/subscriptions/{id}/deliveries").json()["deliveries"]
    return listed


def test_deliveries_are_listed_and_replayed(host: RunningHost, sandbox: RunningSandbox, flow: Subscriber) -> None:
    made = subscribe(host, "payment_settled", flow)
    id = pay(host)
    settle(sandbox, id)
    flow.next(made["secret"])
    one = delivered(host, made["id"])[0]
    while one["state"] == "waiting":  # the answer was given, and is just being entered
        one = delivered(host, made["id"])[0]
    assert (one["item_id"], one["state"], one["body"]["status"]) == (f"{id}:settled", "done", "settled")
    again = host.http.post(f"/v1/subscriptions/{made['id']}/deliveries/{one['id']}/replay")
    assert (again.status_code, again.json()["replayed"]) == (202, True)
    assert flow.next(made["secret"])["_id"] == f"{id}:settled"


def test_what_is_on_its_way_is_not_replayed(host: RunningHost, flow: Subscriber) -> None:
    made = subscribe(host, "payment_settled", flow)
    flow.answers = [500] * 20
    now = host.state.context.now()
    host.state.database.write(lambda one: deliveries.enqueue(one, made["id"], "x", "{}", now)).result()
    number = delivered(host, made["id"])[0]["id"]
    answer = host.http.post(f"/v1/subscriptions/{made['id']}/deliveries/{number}/replay")
    assert (answer.status_code, answer.json()["kind"]) == (409, "conflict")


def test_nothing_is_replayed_to_a_subscription_that_has_ended_or_that_it_does_not_belong_to(
    host: RunningHost, sandbox: RunningSandbox, flow: Subscriber
) -> None:
    made, other = subscribe(host, "payment_settled", flow), subscribe(host, "payment_failed", flow)
    settle(sandbox, pay(host))
    flow.next(made["secret"])
    number = delivered(host, made["id"])[0]["id"]
    strange = host.http.post(f"/v1/subscriptions/{other['id']}/deliveries/{number}/replay")
    assert strange.status_code == 404
    assert host.http.post(f"/v1/subscriptions/{made['id']}/deliveries/nine/replay").status_code == 404
    host.http.delete(f"/v1/subscriptions/{made['id']}")
    ended = host.http.post(f"/v1/subscriptions/{made['id']}/deliveries/{number}/replay")
    assert (ended.status_code, ended.json()["kind"]) == (409, "conflict")


def test_an_ended_subscription_hears_nothing_more_and_says_why(
    host: RunningHost, sandbox: RunningSandbox, flow: Subscriber
) -> None:
    made = subscribe(host, "payment_settled", flow)
    other = subscribe(host, "payment_settled", flow, target_url=f"{flow.url}/other")
    ended = host.http.delete(f"/v1/subscriptions/{made['id']}").json()
    again = host.http.delete(f"/v1/subscriptions/{made['id']}").json()
    assert (ended["ended"], again["ended"]) == (True, False)
    settle(sandbox, pay(host))
    flow.next(other["secret"])  # verified: it is the other one's
    listed = {one["id"]: one for one in host.http.get("/v1/subscriptions").json()["subscriptions"]}
    assert (listed[made["id"]]["state"], listed[made["id"]]["why_ended"]) == ("ended", "by caller")
    assert delivered(host, made["id"]) == []
    assert "sealed_secret" not in listed[made["id"]]


def active(host: RunningHost) -> list[str]:
    listed = host.http.get("/v1/subscriptions").json()["subscriptions"]
    return [one["id"] for one in listed if one["state"] == "active"]


def post(host: RunningHost, flow: Subscriber, key: str | None = None, **more: Any) -> httpx.Response:
    headers = {"idempotency-key": key} if key else {}
    body = {"trigger": "new_payment", "target_url": flow.url, "inputs": {}, **more}
    return host.http.post("/v1/subscriptions", json=body, headers=headers)


def test_a_repeated_request_makes_no_second_subscription(host: RunningHost, flow: Subscriber) -> None:
    first, second = (post(host, flow, trigger="payment_settled") for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert (first.json()["existing"], second.json()["existing"]) == (False, True)
    assert second.headers["location"] == first.headers["location"]
    assert {**second.json(), "existing": False} == first.json(), "the same id and the same secret"
    assert active(host) == [first.json()["id"]]


def test_a_repeated_subscription_delivers_once(host: RunningHost, sandbox: RunningSandbox, flow: Subscriber) -> None:
    made = [subscribe(host, "payment_settled", flow) for _ in range(3)]
    settle(sandbox, pay(host))
    assert flow.next(made[-1]["secret"])["status"] == "settled"
    assert len(delivered(host, made[0]["id"])) == 1
    assert flow.came.empty()


@pytest.mark.parametrize(
    "other",
    [
        {"trigger": "payment_status_changed"},
        {"inputs": {"account_id": MAIN_ACCOUNT}},
        {"target_url": "http://127.0.0.1:9/other"},
    ],
)
def test_another_trigger_other_inputs_or_another_target_are_another_subscription(
    host: RunningHost, flow: Subscriber, other: dict[str, Any]
) -> None:
    first, second = post(host, flow).json(), post(host, flow, **other).json()
    assert second["existing"] is False
    assert sorted(active(host)) == sorted([first["id"], second["id"]])


def test_a_key_names_one_subscription(host: RunningHost, flow: Subscriber) -> None:
    first, second = post(host, flow, "run-1"), post(host, flow, '"run-1"')
    assert (second.status_code, second.json()["id"]) == (201, first.json()["id"])
    assert second.json()["secret"] == first.json()["secret"]
    other = post(host, flow, "run-1", trigger="payment_status_changed")
    assert (other.status_code, other.json()["kind"], other.json()["field"]) == (422, "input", "key")
    assert len(active(host)) == 1


def test_a_key_of_a_subscription_that_has_ended_makes_a_new_one(host: RunningHost, flow: Subscriber) -> None:
    first = post(host, flow, "workflow-7").json()
    host.http.delete(f"/v1/subscriptions/{first['id']}")
    again = post(host, flow, "workflow-7").json()
    assert (again["existing"], again["id"] != first["id"]) == (False, True)
    assert post(host, flow, "workflow-7").json()["id"] == again["id"]
    assert active(host) == [again["id"]]


def test_a_key_that_cannot_be_stored_is_refused_and_nothing_is_kept(real_host: RunningHost) -> None:
    wish = {"trigger": "new_payment", "target_url": "https://flow.example"}
    answer = real_host.http.post("/v1/subscriptions", json=wish, headers={"idempotency-key": "x" * 201})
    assert (answer.status_code, answer.json()["field"]) == (422, "key")
    assert real_host.http.get("/v1/credentials").json()["credentials"] == []


@pytest.mark.parametrize("keys", [[None] * 6, ["run-1"] * 6, [f"run-{number}" for number in range(6)]])
def test_of_many_equal_requests_at_once_one_creates(
    host: RunningHost, flow: Subscriber, keys: list[str | None]
) -> None:
    with ThreadPoolExecutor(len(keys)) as pool:
        answers = list(pool.map(lambda key: post(host, flow, key), keys))
    assert {answer.status_code for answer in answers} == {201}
    assert [answer.json()["existing"] for answer in answers].count(False) == 1
    assert active(host) == [answers[0].json()["id"]]


def test_a_secret_is_shown_only_to_whoever_subscribes(host: RunningHost, flow: Subscriber) -> None:
    made = subscribe(host, "payment_settled", flow)
    shown = [host.http.get(path).text for path in ("/v1/subscriptions", f"/v1/subscriptions/{made['id']}")]
    assert not [text for text in shown if made["secret"] in text]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "trigger"),
        ({"trigger": "new_payment"}, 400, "target_url"),
        ({"trigger": "no_such", "target_url": "https://flow.example"}, 422, "trigger"),
        ({"trigger": "new_payment", "target_url": "ftp://flow.example"}, 422, "target_url"),
        ({"trigger": "new_payment", "target_url": "https://flow.example", "inputs": {"x": "1"}}, 422, "x"),
        ({"trigger": "new_payment", "target_url": "https://flow.example", "start": "then"}, 422, "start"),
        ({"trigger": "new_payment", "target_url": "https://flow.example", "more": 1}, 400, "more"),
    ],
)
def test_a_wrong_wish_names_what_is_wrong_and_stores_nothing(
    real_host: RunningHost, body: dict[str, Any], status: int, field: str
) -> None:
    answer = real_host.http.post("/v1/subscriptions", json=body)
    assert (answer.status_code, answer.json()["field"]) == (status, field)
    assert real_host.http.get("/v1/credentials").json()["credentials"] == []


def test_for_real_nobody_delivers_into_this_network(real_host: RunningHost, flow: Subscriber) -> None:
    answer = real_host.http.post("/v1/subscriptions", json={"trigger": "new_payment", "target_url": flow.url})
    assert (answer.status_code, answer.json()["field"]) == (422, "target_url")


def test_a_key_that_does_not_work_is_not_kept(host: RunningHost, flow: Subscriber) -> None:
    with host.caller(key="no-such-key-at-all") as stranger:
        answer = stranger.post("/v1/subscriptions", json={"trigger": "new_payment", "target_url": flow.url})
    assert (answer.status_code, answer.json()["kind"]) == (401, "key_refused")
    assert len(host.http.get("/v1/credentials").json()["credentials"]) <= 1  # the demo key's alone


def test_a_foreign_webhook_url_is_not_taken_over_by_accident(real_host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": "https://other.example/hook"}).raise_for_status()
    wish = {"trigger": "payment_settled", "target_url": "https://flow.example/hook"}
    refused = real_host.http.post("/v1/subscriptions", json=wish)
    assert (refused.status_code, refused.json()["field"]) == (409, "webhook_url")
    assert "other.example" in refused.json()["message"]
    assert real_host.http.get("/v1/subscriptions").json()["subscriptions"] == []
    assert real_host.http.get("/v1/credentials").json()["credentials"][0]["revoked_at"] is not None
    taken = real_host.http.post("/v1/subscriptions", json={**wish, "takeover": True})
    assert taken.status_code == 201
    assert _webhook_url(sandbox).startswith("https://kontor.example/hooks/")
    real_host.http.delete(f"/v1/subscriptions/{taken.json()['id']}")
    assert _webhook_url(sandbox) == "https://other.example/hook"  # given back when the last one ended


def _webhook_url(sandbox: RunningSandbox) -> str:
    data = sandbox.api.get("/v2/banking/webhook-url").json()["data"]
    url: str = data["webhook_url"]
    return url


@pytest.mark.parametrize("trigger", ["run_finished", "approval_requested"])
def test_what_kontor_tells_itself_needs_no_webhook_url(
    real_host: RunningHost, sandbox: RunningSandbox, trigger: str
) -> None:
    foreign = "https://somebody.example/hook"
    assert sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": foreign}).status_code == 200
    real_host.state.context.public_url = None
    wish = {"trigger": trigger, "target_url": "https://flow.example/1"}
    made = real_host.http.post("/v1/subscriptions", json=wish)
    assert made.status_code == 201, made.text
    by_the_service = real_host.http.post("/v1/subscriptions", json={**wish, "trigger": "payment_settled"})
    assert (by_the_service.status_code, by_the_service.json()["field"]) == (422, "public_url")
    assert real_host.http.delete(f"/v1/subscriptions/{made.json()['id']}").status_code == 200
    assert _webhook_url(sandbox) == foreign


def test_credentials_are_listed_without_keys_rotated_and_revoked(host: RunningHost, sandbox: RunningSandbox) -> None:
    flow = Subscriber()
    made = subscribe(host, "payment_settled", flow)
    kept = next(
        one for one in host.http.get("/v1/credentials").json()["credentials"] if one["id"] == made["credential_id"]
    )
    assert (kept["active_subscriptions"], kept["revoked_at"]) == (1, None)
    with host.caller(key="sandbox-key-2") as newer:
        rotated = newer.put(f"/v1/credentials/{kept['id']}")
    assert (rotated.status_code, rotated.json()["rotated"]) == (200, True)
    settle(sandbox, pay(host))
    assert flow.next(made["secret"])["status"] == "settled"  # confirmed under the new key
    after = host.http.get("/v1/credentials").json()["credentials"]
    assert kept["fingerprint"] not in {one["fingerprint"] for one in after if one["id"] == kept["id"]}
    revoked = host.http.delete(f"/v1/credentials/{kept['id']}").json()
    assert (revoked["revoked"], revoked["ended_subscriptions"]) == (True, 1)
    shown = host.http.get(f"/v1/subscriptions/{made['id']}").json()["subscription"]
    assert (shown["state"], shown["why_ended"]) == ("ended", "revoked")
    flow.close()


def test_a_new_key_that_does_not_work_is_refused_and_the_old_one_stays(host: RunningHost, flow: Subscriber) -> None:
    made = subscribe(host, "new_payment", flow)
    with host.caller(key="no-such-key-at-all") as stranger:
        answer = stranger.put(f"/v1/credentials/{made['credential_id']}")
    assert (answer.status_code, answer.json()["kind"]) == (401, "key_refused")
    kept = {one["id"]: one for one in host.http.get("/v1/credentials").json()["credentials"]}
    assert kept[made["credential_id"]]["fingerprint"]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_credential_that_is_not_there_is_not_found(host: RunningHost, method: str) -> None:
    assert host.http.request(method, "/v1/credentials/none").status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/subscriptions/none"),
        ("DELETE", "/v1/subscriptions/none"),
        ("GET", "/v1/subscriptions/none/deliveries"),
        ("POST", "/v1/subscriptions/none/deliveries/1/replay"),
    ],
)
def test_a_subscription_that_is_not_there_is_not_found(host: RunningHost, method: str, path: str) -> None:
    answer = host.http.request(method, path)
    assert (answer.status_code, answer.json()["kind"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"no json", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"{}" + b" " * 262_144, "application/json", 413),
        (b'{"event": "something_new", "data": {}}', "application/json", 200),
    ],
)
def test_events_come_in_only_as_events(
    host: RunningHost, sandbox: RunningSandbox, flow: Subscriber, body: bytes, content_type: str, status: int
) -> None:
    subscribe(host, "payment_settled", flow)
    path = httpx.URL(_webhook_url(sandbox)).path
    with host.caller(token=None, key=None) as service:
        answer = service.post(path, content=body, headers={"content-type": content_type})
    assert answer.status_code == status


def test_a_subscription_is_paused_tested_redirected_and_resumed_over_http(host: RunningHost, flow: Subscriber) -> None:
    wish = {"trigger": "payment_settled", "target_url": "http://127.0.0.1:9/nobody"}
    created = host.http.post("/v1/subscriptions", json=wish).json()
    path, secret = f"/v1/subscriptions/{created['id']}", created["secret"]
    assert host.http.post(f"{path}/pause").json()["paused"] is True
    assert host.http.post(f"{path}/pause").json()["paused"] is False
    shown = host.http.get(path).json()["subscription"]
    assert shown["paused_at"] is not None
    assert shown["health"]["state"] == "paused"
    failed = host.http.post(f"{path}/test").json()
    assert (failed["accepted"], failed["status"]) == (False, None)
    assert host.http.put(f"{path}/target", json={"target_url": flow.url}).json()["changed"] is True
    assert host.http.post(f"{path}/test").json()["accepted"] is True
    assert flow.next(secret)["_test"] is True
    assert host.http.get(f"{path}/deliveries").json()["deliveries"] == []
    assert host.http.post(f"{path}/resume").json()["resumed"] is True
    assert host.http.get(path).json()["subscription"]["health"]["state"] == "active"
    host.http.delete(path)
    assert host.http.post(f"{path}/pause").status_code == 409
    assert host.http.put(f"{path}/target", json={"target_url": "ftp://x"}).status_code == 409
