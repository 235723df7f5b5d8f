"""Slow reads are accepted at once and called back for: to addresses that may be reached, and also at the host's end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from connector.core import limits
from connector.core.messages import say
from connector.durable.sending.sender import Sender
from connector.durable.waiting_runs import end_spent_callbacks
from connector.interfaces.host import callbacks
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.interfaces.host.running_host import KEY, PAYMENT, RunningHost, running
from tests.support.running_sandbox import Receiver, RunningSandbox
from tests.support.second_person import sign_in

READ, PATH = "list_mobility_customers", "/v2/mobility/customers"  # the host itself never asks for these
OPEN_ITEMS = {"ledger_connection": ledger_connection_id("nordlicht")}


@pytest.fixture
def back() -> Iterator[Receiver]:
    """Where the host calls back."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "RETRY_DELAYS", (0.05, 0.05, 0.05))


def slow(sandbox: RunningSandbox, seconds: float) -> None:
    sandbox.order("/faults", kind="slow", times=None, seconds=seconds, match={"path": PATH})


def sent(sandbox: RunningSandbox, method: str, path: str) -> int:
    return [(entry["method"], entry["path"]) for entry in sandbox.requests()].count((method, path))


def nothing_came(receiver: Receiver) -> bool:
    try:
        receiver.events.get(timeout=0.3)
    except Empty:
        return True
    return False


def fits(host: RunningHost, name: str, document: dict[str, Any]) -> None:
    components = host.http.get("/openapi.json").json()["components"]
    Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": components}).validate(document)


def test_the_host_says_that_it_calls_back(host: RunningHost) -> None:
    assert host.http.get("/v1/connector").json()["callbacks"] is True


def test_a_slow_read_is_accepted_at_once_and_its_result_follows(
    host: RunningHost, sandbox: RunningSandbox, back: Receiver
) -> None:
    expected = json.loads(host.run(READ).text, parse_float=Decimal)
    slow(sandbox, 1.0)
    answer = host.run(READ, callback_url=back.url)
    assert answer.elapsed.total_seconds() < 0.9
    assert (answer.status_code, answer.json()["accepted"]) == (202, True)
    fits(host, "RunAccepted", answer.json())
    assert nothing_came(back)
    told = back.next()
    assert told == expected
    fits(host, "RunAnswer", json.loads(json.dumps(told, default=float)))
    assert back.headers[0]["x-request-id"] == answer.json()["id"]
    assert nothing_came(back)


def test_open_items_are_called_back_for(host: RunningHost, back: Receiver) -> None:
    assert host.run("get_open_items", OPEN_ITEMS, callback_url=back.url).status_code == 202
    told = back.next()
    assert (told["ok"], told["action"]) == (True, "get_open_items")
    assert told["output"]["stichtag"]


@pytest.mark.parametrize("lang", ["en", "de"])
def test_an_error_of_the_service_follows_with_its_remedy_and_without_the_key(
    lang: str, host: RunningHost, back: Receiver
) -> None:
    secret = "no-such-key-at-all"
    with host.caller(key=secret, **{"accept-language": lang}) as stranger:
        answer = stranger.post(f"/v1/actions/{READ}/run", json={"callback_url": back.url})
    told = back.next()
    assert answer.status_code == 202
    assert (told["ok"], told["error"]["kind"]) == (False, "key_refused")
    assert ("Schlüssel" in told["error"]["message"]) is (lang == "de")
    assert told["error"]["remedy"]["de"]
    assert secret not in json.dumps(told)
    fits(host, "RunFailed", told)


def test_a_mistake_of_the_host_is_told_without_its_trace(
    host: RunningHost, back: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connector.interfaces.host.routes.calls._outcome", lambda result: 1 / 0)
    id = host.run(READ, callback_url=back.url).json()["id"]
    told = back.next()
    assert (told["error"]["kind"], id in told["error"]["remedy"]["en"]) == ("error", True)
    assert "division" not in json.dumps(told)
    assert "ZeroDivisionError" in host.log()


def test_what_is_wrong_with_the_call_itself_is_answered_at_once(
    host: RunningHost, sandbox: RunningSandbox, back: Receiver
) -> None:
    wrong_input = host.run("list_transactions", {}, callback_url=back.url)
    wrong_action = host.run("list_mobility_customer", callback_url=back.url)
    wrong_key = host.run(READ, callback_url=back.url, key=" ")
    assert (wrong_input.status_code, wrong_input.json()["field"]) == (422, "connection_id")
    assert wrong_action.status_code == 404
    assert (wrong_key.status_code, wrong_key.json()["field"]) == (422, "key")
    assert nothing_came(back)
    assert sent(sandbox, "GET", PATH) + sent(sandbox, "GET", "/v2/banking/transactions") == 0


@pytest.mark.parametrize("action", ["initiate_payment", "call_api"])
def test_what_may_change_something_is_answered_at_once_and_once(
    action: str, host: RunningHost, sandbox: RunningSandbox, back: Receiver
) -> None:
    inputs = PAYMENT if action == "initiate_payment" else {"method": "GET", "path": PATH}
    answer = host.run(action, inputs, callback_url=back.url, key="run-1")
    assert (answer.status_code, answer.json()["replayed"]) == (200, False)
    assert nothing_came(back)
    assert sent(sandbox, "GET", PATH) + sent(sandbox, "POST", "/v2/banking/payments") == 1


def test_a_dry_run_calls_nobody_back(host: RunningHost, back: Receiver) -> None:
    answer = host.run(READ, callback_url=back.url, dry_run=True)
    assert (answer.status_code, answer.json()["dry_run"]) == (200, True)
    assert nothing_came(back)


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:9/x", "https://10.0.0.1/x", "https://169.254.169.254/x", "http://hooks.example/x", "back"),
        "kontor:inbox",
    ],
)
def test_addresses_that_deliveries_must_not_reach_are_refused(
    url: str, real_host: RunningHost, sandbox: RunningSandbox
) -> None:
    answer = real_host.run(READ, callback_url=url)
    assert (answer.status_code, answer.json()["field"]) == (422, "callback_url")
    assert sent(sandbox, "GET", PATH) == 0


@pytest.mark.usefixtures("hasty")
def test_a_name_that_leads_inside_is_not_called(
    sandbox: RunningSandbox, back: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def inside(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    monkeypatch.setattr(callbacks, "Sender", partial(Sender, resolve=inside))
    with running(sandbox, tmp_path, trial=False) as host:
        url = back.url.replace("http://127.0.0.1", "https://hooks.example")
        assert host.run(READ, callback_url=url).status_code == 202
    assert "refused: the name leads to 127.0.0.1" in host.log()
    assert back.events.empty()


@pytest.mark.usefixtures("hasty")
def test_a_callback_that_is_not_taken_is_tried_again_and_the_service_is_not(
    host: RunningHost, sandbox: RunningSandbox, back: Receiver
) -> None:
    back.answers = [503, 302]
    host.run(READ, callback_url=back.url)
    first, second, third = back.next(), back.next(), back.next()
    assert first == second == third
    assert nothing_came(back)
    assert sent(sandbox, "GET", PATH) == 1


@pytest.mark.usefixtures("hasty")
def test_a_callback_that_nobody_takes_is_given_up_and_noted(host: RunningHost, back: Receiver) -> None:
    back.answers = [500] * 9
    id = host.run(READ, callback_url=back.url).json()["id"]
    for _ in range(4):
        assert back.next()["ok"]
    assert nothing_came(back)
    assert f"nobody took the callback of request {id}" in host.log()


@pytest.mark.usefixtures("hasty")
def test_whoever_says_that_nobody_waits_is_left_alone(host: RunningHost, back: Receiver) -> None:
    back.answers = [410]
    host.run(READ, callback_url=back.url)
    assert back.next()["ok"]
    assert nothing_came(back)


def test_a_result_that_is_too_large_is_told_as_that(
    host: RunningHost, back: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callbacks, "MAX_BODY_BYTES", 1024)
    host.run(READ, callback_url=back.url)
    assert back.next()["error"]["kind"] == "too_large"


def test_more_than_the_host_keeps_in_mind_is_refused(
    host: RunningHost, sandbox: RunningSandbox, back: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PENDING_CALLBACKS", 2)
    slow(sandbox, 2.0)
    answers = [host.run(READ, callback_url=back.url).status_code for _ in range(3)]
    assert answers == [202, 202, 429]
    assert back.next()["ok"]
    assert back.next()["ok"]


def test_a_host_that_is_stopped_finishes_the_reads_that_it_has_accepted(
    sandbox: RunningSandbox, back: Receiver, tmp_path: Path
) -> None:
    slow(sandbox, 1.0)
    with running(sandbox, tmp_path) as host:
        assert host.run(READ, callback_url=back.url).status_code == 202
    assert back.events.get_nowait()["ok"] is True


def test_a_read_that_outlasts_the_hosts_patience_is_told_as_failed(
    sandbox: RunningSandbox, back: Receiver, tmp_path: Path
) -> None:
    slow(sandbox, 8.0)
    with running(sandbox, tmp_path, shutdown_seconds=1) as host:
        assert host.run(READ, callback_url=back.url).status_code == 202
    told = back.events.get_nowait()
    assert (told["error"]["kind"], told["error"]["retryable"]) == ("service_down", True)
    assert told["error"]["message"] == say("host_callback_stopped").en


def test_a_host_that_is_stopped_does_not_wait_for_one_that_takes_no_callback(
    sandbox: RunningSandbox, back: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callbacks, "RETRY_DELAYS", (600.0,))
    back.answers = [503]
    with running(sandbox, tmp_path) as host:
        host.run(READ, callback_url=back.url)
        assert back.next()["ok"]
    assert back.events.get_nowait()["ok"]  # once more at the end, and without the ten minutes' pause


def test_a_callback_stores_no_key(sandbox: RunningSandbox, back: Receiver, tmp_path: Path) -> None:
    with running(sandbox, tmp_path, trial=True, own_credential=None) as host:
        host.run(READ, callback_url=back.url)
        assert back.next()["ok"]
        assert host.http.get("/v1/credentials").json()["credentials"] == []
    held = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert KEY.encode() not in held


def test_a_callback_is_signed_with_the_secret_of_its_answer(host: RunningHost, back: Receiver) -> None:
    accepted = host.run(READ, callback_url=back.url).json()
    back.next()
    Webhook(accepted["callback_secret"]).verify(back.bodies[0], back.headers[0])
    with pytest.raises(WebhookVerificationError):
        Webhook(accepted["callback_secret"]).verify(back.bodies[0] + b" ", back.headers[0])


def test_who_asked_is_told_by_a_signed_callback_what_became_of_a_run_that_waited(
    host: RunningHost, back: Receiver
) -> None:
    assert host.http.put("/v1/policy", json={"approve_above": 100}).status_code == 200
    asked = host.run("initiate_payment", PAYMENT, callback_url=back.url, key="run-1")
    assert asked.status_code == 202, asked.text
    fits(host, "RunAccepted", asked.json())
    with host.caller(sign_in(host.url, "Jan", "approver", "*")) as approver:
        assert approver.post(f"/v1/runs/{asked.json()['run']}/approve").status_code == 200
    told = back.next()
    assert (told["run"], told["state"], told["decided_by"]) == (asked.json()["run"], "done", "Jan")
    assert told["output"]["status"] == "initiated"
    Webhook(asked.json()["callback_secret"]).verify(back.bodies[0], back.headers[0])
    state = host.state
    ended = 0
    for _ in range(50):  # the delivery is recorded after its answer
        ended += state.database.write(lambda connection: end_spent_callbacks(connection, state.context.now())).result()
        if ended:
            break
        time.sleep(0.1)
    assert ended == 1, "it has nothing more to tell"
    assert nothing_came(back)
