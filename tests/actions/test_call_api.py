"""A call to any path becomes exactly the request that was asked for, and nothing that cannot be one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from refusals import refusal

from actions.any.call_api import check, request, shape

ACCOUNTS = {"method": "GET", "path": "/v2/banking/accounts"}


def test_the_request_is_what_the_inputs_say() -> None:
    inputs = {"method": "PUT", "path": "/v2/banking/webhook-url", "query": {"a": "1"}, "body": {"webhook_url": "x"}}
    assert check(inputs) is None
    assert request(inputs) == {**inputs, "carries_quelle": False}


def test_what_is_left_out_is_empty() -> None:
    assert check(ACCOUNTS) is None
    assert request(ACCOUNTS) == {**ACCOUNTS, "query": {}, "body": None, "carries_quelle": False}


@pytest.mark.parametrize(
    "path", ["/v2/ledger-duo/belegtypen", "/v2/ledger-rewe/personenkonto", "/v2/ledger-rewe-read/opos"]
)
def test_only_ledger_calls_carry_the_label_of_the_source(path: str) -> None:
    assert request({"method": "GET", "path": path})["carries_quelle"]
    assert not request({"method": "GET", "path": path.replace("ledger", "banking")})["carries_quelle"]


def test_a_get_call_with_a_body_is_refused() -> None:
    assert refusal("any", "call_api", {**ACCOUNTS, "body": {}}).field == "body"


@pytest.mark.parametrize("value", ["partner", "", 7, Decimal("1.5"), True, ["a", 1], []])
def test_plain_values_and_lists_of_them_can_be_asked_for(value: Any) -> None:
    assert check({**ACCOUNTS, "query": {"name": value}}) is None


@pytest.mark.parametrize("value", [None, {"a": 1}, [["a"]], [None]])
def test_a_nested_query_value_is_refused_by_its_name(value: Any) -> None:
    said = refusal("any", "call_api", {**ACCOUNTS, "query": {"api": "partner", "name": value}})
    assert said.field == "query"
    assert said.en.startswith("name in query")


@pytest.mark.parametrize("reply", [[], [{"id": "1"}], None, "text", 7])
def test_an_answer_that_is_no_object_stands_under_data(reply: Any) -> None:
    assert shape(reply) == {"data": reply}


def test_an_object_comes_out_as_it_came() -> None:
    reply = {"data": [1], "platform": {"neuesGuthaben": 3}}
    assert shape(reply) == reply
