"""Answers come out of their envelopes, and an answer that cannot be understood is never an empty one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bench.parse import body_of, memory_ratio
from connector.core.answers import (
    areas_in,
    balance_in,
    items_in,
    object_in,
    read_items,
    read_one,
    webhook_url_in,
)
from connector.core.resources.banking import BankConnection, Transaction
from connector.core.resources.ledger import LedgerConnection
from connector.core.resources.mobility import MobilityCustomer
from connector.core.values.json import decode, encode


def test_lists_are_found_in_each_of_their_envelopes() -> None:
    assert [row.id for row in read_items(Transaction, b'{"data":[{"id":"1"}],"platform":{}}')] == ["1"]
    assert [row.id for row in read_items(LedgerConnection, b'{"connections":[{"id":"2"}]}')] == ["2"]
    assert [row.id for row in read_items(MobilityCustomer, b'[{"id":"3"}]')] == ["3"]
    assert items_in({"data": [1]}) == items_in({"connections": [1]}) == items_in([1]) == [1]


@pytest.mark.parametrize("reply", [{}, {"data": None}, {"data": {}}, {"error": "x"}, None, "x", 5])
def test_no_list_is_an_error(reply: Any) -> None:
    with pytest.raises(ValueError, match="no list"):
        items_in(reply)


def test_an_object_is_found_wrapped_or_bare() -> None:
    assert read_one(BankConnection, b'{"data":{"id":"1"}}').id == "1"
    assert read_one(BankConnection, b'{"id":"1"}').id == "1"


@pytest.mark.parametrize("reply", [{"data": None}, {"data": [1]}, [1], None, "x"])
def test_no_object_is_an_error(reply: Any) -> None:
    with pytest.raises(ValueError, match="no object"):
        object_in(reply)


@pytest.mark.parametrize(
    ("reply", "balance"),
    [
        ({"data": [], "platform": {"neuesGuthaben": Decimal("99.50")}}, Decimal("99.50")),
        ({"data": {"platform": {"neuesGuthaben": 7}}}, Decimal(7)),
        ({"platform": {"neuesGuthaben": 0}}, Decimal(0)),
        ({"platform": {"neuesGuthaben": None}}, None),
        ({"platform": []}, None),
        ({"data": []}, None),
        ([], None),
    ],
)
def test_the_credit_balance_is_read_when_it_is_told(reply: Any, balance: Decimal | None) -> None:
    assert balance_in(reply) == balance


@pytest.mark.parametrize("envelope", [lambda inner: inner, lambda inner: {"data": inner}], ids=["bare", "data"])
def test_the_webhook_url_is_found_in_each_plausible_shape(envelope: Any) -> None:
    url = "https://host.example/hooks/1"
    assert webhook_url_in(envelope({"webhook_url": url})) == url
    assert webhook_url_in(envelope({"url": url})) == url
    assert webhook_url_in(envelope(url)) == url
    for nothing in ({"webhook_url": None}, {"webhook_url": ""}, {}, None, ""):
        assert webhook_url_in(envelope(nothing)) is None


@pytest.mark.parametrize("reply", [{"ok": True}, [], 5, {"data": ["x"]}, {"webhook_url": 5}])
def test_an_answer_without_a_webhook_url_is_not_read_as_none_set(reply: Any) -> None:
    with pytest.raises(ValueError, match="no webhook URL"):
        webhook_url_in(reply)


def test_permission_entries_are_found_by_area_or_in_a_row() -> None:
    ok = {"status": "ok"}
    assert areas_in({"opos": ok, "susa": ok}) == {"opos": ok, "susa": ok}
    assert areas_in({"data": {"opos": ok}, "platform": {"neuesGuthaben": 1}}) == {"opos": ok}
    assert areas_in({"opos": ok, "platform": {"neuesGuthaben": 1}}) == {"opos": ok}
    assert areas_in([{"area": "opos", **ok}, ok]) == {"opos": {"area": "opos", **ok}, "2": ok}
    for wrong in ({"error": "x"}, ["x"], None, "x"):
        with pytest.raises(ValueError, match="no permission entries"):
            areas_in(wrong)


def test_a_list_is_read_item_by_item() -> None:
    rows = read_items(Transaction, b'{"data":[{"id":"1"},"no object"]}')
    assert next(rows).id == "1"
    with pytest.raises(ValueError, match="expected an object"):
        next(rows)


def test_a_long_list_is_read_exactly() -> None:
    body = body_of(300)
    assert encode({"data": [row.dump() for row in read_items(Transaction, body)]}) == body


def test_one_odd_row_does_not_hide_the_others() -> None:
    value = decode(body_of(3))
    value["data"][1]["amount"] = "?"
    rows = list(read_items(Transaction, encode(value)))
    assert [row.amount is None for row in rows] == [False, True, False]


def test_reading_ten_thousand_transactions_stays_within_three_times_the_body() -> None:
    assert memory_ratio() <= 3
