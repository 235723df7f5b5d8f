"""JSON keeps its digits, and bad JSON is a ValueError and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core.messages import say
from connector.core.problems import Problem
from connector.core.values.json import MAX_DEPTH, GivenTwice, decode, decode_items, decode_unambiguous, encode

decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | decimals | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_is_written_is_read_back_equal(value: Any) -> None:
    assert decode(encode(value)) == value


@given(values)
def test_what_is_written_is_json_for_others_too(value: Any) -> None:
    assert json.loads(encode(value), parse_float=Decimal) == value


@pytest.mark.parametrize("number", [10**30 - 1, -(10**30), 2**53 + 1, 2**63, 2**64, -(2**63) - 1])
def test_whole_numbers_of_any_size_stay_whole(number: int) -> None:
    read = decode(str(number).encode())
    assert type(read) is int
    assert read == number
    assert encode(number) == str(number).encode()


@pytest.mark.parametrize(
    ("number", "text"),
    [("1E+5", "1E+5"), ("1E-7", "1E-7"), ("1.50", "1.50"), ("12345678901234567.89", "12345678901234567.89")],
)
def test_decimals_become_json_numbers(number: str, text: str) -> None:
    assert encode({"n": Decimal(number)}) == f'{{"n":{text}}}'.encode()
    assert json.loads(encode([Decimal(number)])) == [float(number)]


def test_dates_and_uuids_become_text() -> None:
    moment = datetime(2026, 5, 1, 10, tzinfo=UTC)
    uuid = UUID("6f1f7b0e-1c1a-4c55-9a51-0b1c2d3e4f50")
    assert decode(encode([date(2026, 5, 1), moment, uuid])) == ["2026-05-01", "2026-05-01T10:00:00Z", str(uuid)]


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        Decimal("1E+999"),
        {1: "a"},
        {"a"},
        b"bytes",
        object(),
        "\ud800",
        datetime(2026, 5, 1),  # noqa: DTZ001 - without a zone
    ],
)
def test_what_json_cannot_carry_is_refused_wherever_it_stands(value: Any) -> None:
    for wrapped in (value, [value], {"a": {"b": (value,)}}):
        with pytest.raises(Problem):
            encode(wrapped)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1,]",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b"1e-999",
        b"1e99999999999999999999",
        b"01",
        b"1.",
        b'"\xff"',
        b'{"\xc3":1}',
        b'"\\ud800"',
        b"9" * 5000,
        b"{} {}",
        b"<html>",
    ],
)
def test_what_is_not_json_is_refused_with_a_reason_in_both_languages(body: bytes) -> None:
    with pytest.raises(Problem) as refused:
        decode(body)
    assert refused.value.text.en != refused.value.text.de


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"<html>", "Zeile 1, Zeichen 1"),
        (b'{"a": 1,\n "b": x}', "Zeile 2, Zeichen 7"),
        ('{"ä": ö}', "Zeile 1, Zeichen 7"),
    ],
)
def test_the_place_of_a_mistake_is_counted_as_people_do(body: bytes | str, place: str) -> None:
    with pytest.raises(Problem) as refused:
        decode(body)
    assert refused.value.text.de == f"der Fehler liegt bei {place}"


def nested(depth: int, opening: str, closing: str) -> bytes:
    return (opening * depth + "0" + closing * depth).encode()


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
@pytest.mark.parametrize("times", [2, 9, 1000])
def test_nesting_has_an_end_and_a_message(opening: str, closing: str, times: int) -> None:
    with pytest.raises(ValueError, match="nested deeper"):
        decode(nested(MAX_DEPTH * times // 2 + 1, opening, closing))


def test_what_may_be_read_may_be_written() -> None:
    body = nested(MAX_DEPTH, "[", "]")
    assert encode(decode(body)) == body


def test_what_may_be_read_may_be_passed_on_inside_something_else() -> None:
    deep = decode(nested(MAX_DEPTH, '{"a":', "}"))
    assert encode({"ok": True, "items": [{**deep, "_id": "1"}]}).endswith(b',"_id":"1"}]}')


def test_a_number_of_too_many_digits_is_called_that() -> None:
    for body in (b'{"a": %b}' % (b"9" * 5000), b"[%b]" % (b"1" * 5000)):
        with pytest.raises(ValueError, match="too many digits"):
            decode(body)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert decode(b"[" + b",".join([b"[[]]"] * 500) + b"]") == [[[]]] * 500


def test_a_value_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested deeper"):
        encode(endless)


def test_of_a_repeated_key_the_last_one_counts() -> None:
    assert decode(b'{"a":1,"a":2}') == {"a": 2}


@pytest.mark.parametrize(
    "body", [b'{"data":[1,2.50]}', b'{"platform":{},"data":[1,2.50]}', b"[1,2.50]", b" \n[1,2.50] "]
)
def test_items_are_found_under_their_key_or_bare(body: bytes) -> None:
    assert [str(item) for item in decode_items(body)] == ["1", "2.50"]


@pytest.mark.parametrize("body", [b'{"items":[1]}', b'{"data":{}}', b'{"data":null}', b"null", b"3", b'"x"', b""])
def test_a_missing_list_is_an_error_and_not_an_empty_list(body: bytes) -> None:
    with pytest.raises(Problem) as refused:
        list(decode_items(body))
    assert refused.value.text == say("json_ends_early" if not body else "json_without_list")


def test_items_are_read_only_when_their_turn_comes() -> None:
    items = decode_items(b'{"data":[{"a":1},{"a":1e999}]}')
    assert next(items) == {"a": 1}
    with pytest.raises(ValueError, match="exponent"):
        next(items)


@pytest.mark.parametrize(
    "module", ["connector.core.values.json", "connector.core.values.ids", "connector.core.data.answers"]
)
def test_values_and_envelopes_do_not_load_pydantic(module: str) -> None:
    check = f"import sys, {module}; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"amount": 1, "amount": 2}', "amount"),
        ('{"lines": [{"a": 1}, {"a": 1, "b": 2, "b": 2}]}', "b"),
        ('{"betr\\u0061g": 1, "betrag": 1}', "betrag"),
    ],
)
def test_a_name_that_stands_twice_in_an_object_is_refused(text: str, name: str) -> None:
    with pytest.raises(GivenTwice) as refused:
        decode_unambiguous(text.encode())
    assert refused.value.name == name


def test_an_unambiguous_document_is_decoded_exactly() -> None:
    assert decode_unambiguous(b'[{"a": 1.10, "b": {"a": 1}}, {"a": 2}]') == [
        {"a": Decimal("1.10"), "b": {"a": 1}},
        {"a": 2},
    ]
