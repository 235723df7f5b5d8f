"""Polls over HTTP, plain and in Power Automate's way."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.interfaces.host.running_host import PAYMENT, RunningHost
from tests.support.running_sandbox import RunningSandbox


def test_a_poll_gives_items_and_the_cursor_for_the_next(host: RunningHost, sandbox: RunningSandbox) -> None:
    first = host.http.post("/v1/triggers/new_payment/poll", json={"inputs": {}}).json()
    assert first["items"] == []
    paid = sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]["id"]
    second = host.http.post("/v1/triggers/new_payment/poll", json={"cursor": first["cursor"]}).json()
    assert [item["_id"] for item in second["items"]] == [paid]
    third = host.http.get("/v1/triggers/new_payment/poll", params={"cursor": second["cursor"]}).json()
    assert third["items"] == []
    assert (second["cursor"][: len(paid)], third["cursor"][: len(paid)]) == (paid, paid), "it does not go back"


def test_a_poll_by_get_takes_its_inputs_from_the_query(host: RunningHost, sandbox: RunningSandbox) -> None:
    query = {"account_id": PAYMENT["account_id"], "start": "all"}
    got = host.http.get("/v1/triggers/new_transaction/poll", params=query)
    posted = host.http.post(
        "/v1/triggers/new_transaction/poll", json={"inputs": {"account_id": PAYMENT["account_id"]}, "start": "all"}
    )
    assert got.status_code == 200
    assert got.json()["items"] == posted.json()["items"] != []
    assert got.json()["credits"]["cost"] == 1


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ({"protocol": "powerautomate"}, {}),
        ({}, {"prefer": "respond-async, wait=10"}),
        ({}, {"accept": "application/json; protocol=powerautomate"}),
    ],
)
def test_power_automate_is_led_from_poll_to_poll_by_location(
    host: RunningHost, sandbox: RunningSandbox, query: dict[str, str], headers: dict[str, str]
) -> None:
    filter_ = {"account_id": PAYMENT["account_id"]}
    empty = host.http.get("/v1/triggers/new_payment/poll", params={**query, **filter_}, headers=headers)
    assert (empty.status_code, empty.json()["items"]) == (202, [])
    assert int(empty.headers["retry-after"]) >= 30
    kept = parse_qs(urlsplit(empty.headers["location"]).query)
    assert kept["account_id"] == [PAYMENT["account_id"]]
    paid = [sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]["id"] for _ in range(2)]
    found = host.http.get(empty.headers["location"])
    assert (found.status_code, [item["_id"] for item in found.json()["items"]]) == (200, paid)
    assert host.http.get(found.headers["location"]).status_code == 202


def test_a_posted_poll_leads_to_the_same_address(host: RunningHost) -> None:
    answer = host.http.post(
        "/v1/triggers/new_payment/poll",
        params={"protocol": "powerautomate"},
        json={"inputs": {"account_id": PAYMENT["account_id"]}},
    )
    assert answer.status_code == 202
    assert host.http.get(answer.headers["location"]).status_code == 202


def test_the_public_address_stands_in_location(real_host: RunningHost) -> None:
    answer = real_host.http.get("/v1/triggers/new_payment/poll", params={"protocol": "powerautomate"})
    assert answer.headers["location"].startswith("https://kontor.example/v1/triggers/new_payment/poll?")


def test_without_that_wish_an_empty_poll_is_200_without_location(host: RunningHost) -> None:
    answer = host.http.get("/v1/triggers/new_payment/poll")
    assert (answer.status_code, "location" in answer.headers) == (200, False)


@pytest.mark.parametrize(
    ("trigger", "query", "field"),
    [
        ("new_payment", {"cursor": "no number"}, "cursor"),
        ("new_payment", {"start": "yesterday"}, "start"),
        ("new_payment", {"unknown": "1"}, "unknown"),
        ("payment_settled", {}, "trigger"),
    ],
)
def test_a_wrong_poll_names_what_is_wrong(host: RunningHost, trigger: str, query: dict[str, str], field: str) -> None:
    answer = host.http.get(f"/v1/triggers/{trigger}/poll", params=query)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
