"""Answers come out of their envelopes, and an answer that cannot be understood is never an empty one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from connector.core.data.answers import balance_in, items_in, object_in, shaped


@pytest.mark.conforms("conventions.lists_under_data")
def test_lists_are_found_in_each_of_their_envelopes() -> None:
    assert items_in({"data": [1], "platform": {}}) == items_in({"connections": [1]}) == items_in([1]) == [1]


@pytest.mark.parametrize("reply", [{}, {"data": None}, {"data": {}}, {"error": "x"}, None, "x", 5])
def test_no_list_is_an_error(reply: Any) -> None:
    with pytest.raises(ValueError, match="no list"):
        items_in(reply)


def test_an_object_is_found_wrapped_or_bare() -> None:
    assert object_in({"data": {"id": "1"}}) == object_in({"id": "1"}) == {"id": "1"}


@pytest.mark.parametrize("reply", [{"data": None}, {"data": [1]}, [1], None, "x"])
def test_no_object_is_an_error(reply: Any) -> None:
    with pytest.raises(ValueError, match="no object"):
        object_in(reply)


@pytest.mark.conforms("service.names_on_the_wire", "conventions.credit_balance")
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


URL: dict[str, Any] = {"first_of": ["webhook_url", "url"], "as": "webhook_url"}


@pytest.mark.conforms("webhook_url.shapes")
@pytest.mark.parametrize("envelope", [lambda inner: inner, lambda inner: {"data": inner}], ids=["bare", "data"])
def test_the_first_of_several_keys_is_found_in_each_plausible_shape(envelope: Any) -> None:
    url = "https://host.example/hooks/1"
    for answer in ({"webhook_url": url}, {"url": url}, {"url": "other", "webhook_url": url}, url):
        assert shaped(envelope(answer), False, URL) == {"webhook_url": url}
    for nothing in ({"webhook_url": None}, {"webhook_url": ""}, {}, None, ""):
        assert shaped(envelope(nothing), False, URL) == {"webhook_url": None}


@pytest.mark.parametrize("reply", [{"ok": True}, [], 5, {"data": ["x"]}, {"webhook_url": 5}])
def test_an_answer_without_the_text_is_not_read_as_none(reply: Any) -> None:
    with pytest.raises(ValueError, match="the answer carries no"):
        shaped(reply, False, URL)
    assert shaped(reply, False, {**URL, "else_answer": True}) == {"answer": reply}


def test_entries_are_found_by_their_key_or_in_a_row() -> None:
    shape = {"entries": {"as": "area", "named": ["area", "bereich"], "having": "status"}}
    ok = {"status": "ok"}
    assert shaped({"opos": ok, "platform": {"neuesGuthaben": 1}}, True, shape) == {"items": [{"area": "opos", **ok}]}
    assert shaped({"data": {"opos": ok}}, True, shape) == {"items": [{"area": "opos", **ok}]}
    rows = [{"bereich": "opos", **ok}, ok]
    assert shaped(rows, True, shape) == {"items": [{"area": "opos", "bereich": "opos", **ok}, {"area": "2", **ok}]}
    assert shaped({}, True, shape) == {"items": []}
    for wrong in ({"error": "x"}, ["x"], None, "x"):
        with pytest.raises(ValueError, match="no entries"):
            shaped(wrong, True, shape)


def test_plain_texts_are_wrapped_and_siblings_kept() -> None:
    assert shaped(["A", {"id": 1}], True, {"wrap": "name"}) == {"items": [{"name": "A"}, {"id": 1}]}
    reply = {"data": {"id": 1}, "ledgerAntwort": {"status": "OK"}, "platform": {}}
    assert shaped(reply, False, {"keep": ["ledgerAntwort"]}) == {"id": 1, "ledgerAntwort": {"status": "OK"}}
    assert shaped({"id": 1, "ledgerAntwort": 2}, False, {"keep": ["ledgerAntwort"]}) == {"id": 1, "ledgerAntwort": 2}
