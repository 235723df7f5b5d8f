"""Answers come out of their envelopes, and an answer that cannot be understood is never an empty one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bench.parse import body_of, memory_ratio
from connector.core.answers import balance_in, items_in, object_in, shaped
from connector.core.values.json import decode_items, encode

URL = {"first_of": ["webhook_url", "url"], "as": "webhook_url"}
ENTRIES = {"entries": {"as": "area", "named": ["area", "name"], "having": "status"}}
enveloped = pytest.mark.parametrize(
    "envelope", [lambda inner: inner, lambda inner: {"data": inner}], ids=["bare", "data"]
)


def test_lists_are_found_in_each_of_their_envelopes() -> None:
    assert items_in({"data": [1]}) == items_in({"connections": [1]}) == items_in([1]) == [1]


@pytest.mark.parametrize("reply", [{}, {"data": None}, {"data": {}}, {"error": "x"}, None, "x", 5])
def test_no_list_is_an_error(reply: Any) -> None:
    with pytest.raises(ValueError, match="no list"):
        items_in(reply)


@enveloped
def test_an_object_is_found_wrapped_or_bare(envelope: Any) -> None:
    assert object_in(envelope({"id": "1"})) == {"id": "1"}


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


@enveloped
def test_a_text_is_found_in_each_plausible_shape(envelope: Any) -> None:
    url = "https://host.example/hooks/1"
    for told in ({"webhook_url": url}, {"url": url}, url):
        assert shaped(envelope(told), False, URL) == {"webhook_url": url}
    for nothing in ({"webhook_url": None}, {"webhook_url": ""}, {}, None, ""):
        assert shaped(envelope(nothing), False, URL) == {"webhook_url": None}


@pytest.mark.parametrize("reply", [{"ok": True}, [], 5, {"data": ["x"]}, {"webhook_url": 5}])
def test_an_answer_without_the_text_is_not_read_as_none_set(reply: Any) -> None:
    with pytest.raises(ValueError, match="carries no"):
        shaped(reply, False, URL)
    assert shaped(reply, False, {**URL, "else_answer": True}) == {"answer": reply}


def test_entries_are_found_by_name_or_in_a_row() -> None:
    ok = {"status": "ok"}
    named = {"items": [{"area": "opos", **ok}]}
    assert shaped({"opos": ok, "platform": {"neuesGuthaben": 1}}, True, ENTRIES) == named
    assert shaped({"data": {"opos": ok}, "platform": {"neuesGuthaben": 1}}, True, ENTRIES) == named
    assert shaped([{"name": "opos", **ok}, ok], True, ENTRIES) == {
        "items": [{"area": "opos", "name": "opos", **ok}, {"area": "2", **ok}]
    }
    for wrong in ({"error": "x"}, ["x"], None, "x"):
        with pytest.raises(ValueError, match="no entries"):
            shaped(wrong, True, ENTRIES)


def test_kept_keys_of_the_envelope_stand_beside_the_object() -> None:
    shape = {"keep": ["ledgerAntwort"]}
    assert shaped({"data": {"id": "1"}, "ledgerAntwort": {"status": "ok"}}, False, shape) == {
        "id": "1",
        "ledgerAntwort": {"status": "ok"},
    }


def test_a_long_list_is_read_exactly() -> None:
    body = body_of(300)
    assert encode({"data": list(decode_items(body))}) == body


def test_reading_ten_thousand_transactions_stays_within_three_times_the_body() -> None:
    assert memory_ratio() <= 3
