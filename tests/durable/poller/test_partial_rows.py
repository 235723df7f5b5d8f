"""Rows that are decoded in part and stored as they came are what whole rows would have been."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from connector.core.polls.by_id import ById
from connector.core.polls.page import Members, Row
from connector.core.reasons import Reason
from connector.core.values import json
from connector.durable.poller import partial_rows
from connector.durable.poller.pages import RawPage

MEMBERS = Members(("id", "status"), ("_id", "late"))
ROW = {"id": "7", "status": "posted", "amount": 1, "extra": {"payee": "Käse & Söhne", "lines": [1, None, True]}}


def encoded(**more: Any) -> bytes:
    return msgspec.json.encode([{**ROW, **more}])


def decoded(array: bytes) -> list[Row] | None:
    try:
        raws = msgspec.json.Decoder(list[msgspec.Raw]).decode(array)
    except msgspec.DecodeError:
        return None
    return partial_rows.decode(raws, MEMBERS)


def stored(array: bytes) -> list[Any] | None:
    """What is stored of the rows and read again; None where they are not decoded in part."""
    rows = decoded(array)
    if rows is None:
        return None
    raws = dict(enumerate(msgspec.json.Decoder(list[msgspec.Raw]).decode(array)))
    items = [{**row, "_id": str(number), "late": False} for number, row in enumerate(rows)]
    return [json.decode(one) for one in partial_rows.completed(items, raws, MEMBERS.added)]


def whole(array: bytes) -> list[Any]:
    return [{**row, "_id": str(number), "late": False} for number, row in enumerate(json.decode(array))]


@pytest.mark.parametrize(
    "more",
    [
        b"12345678901234567.89",
        b"-0.001",
        b'"E2E-0001"',
        b'"3e5 \\u00fc \\"[{,e"',
        b"{}",
        b"[[], [[]]]",
        b'" , E , "',
        b"1e5",
        b"1" * 150,
    ],
)
def test_what_is_stored_reads_as_the_whole_row_would(more: bytes) -> None:
    array = b'[{"id": "7", "status": "posted", "more": ' + more + b" }]"
    assert stored(array) in (whole(array), None)
    assert json.decode(array)


@pytest.mark.parametrize(
    "unusual",
    [b"1e999", b"[-1.5E+400]", b'{"a":1E-999}', b"0." + b"0" * 400 + b"1", b"9" * 5000, b"[" * 400 + b"]" * 400],
)
@pytest.mark.parametrize("space", [b"", b" ", b"\n\t"])
def test_a_number_or_nesting_beyond_the_bounds_is_left_to_the_exact_decoder(unusual: bytes, space: bytes) -> None:
    array = b'[{"id": "7", "more":' + space + unusual + space + b"}]"
    assert decoded(array) is None


@pytest.mark.parametrize("name", ["_id", "late"])
def test_a_row_that_has_a_member_of_that_name_already_is_decoded_whole(name: str) -> None:
    assert decoded(encoded(**{name: "theirs"})) is None


def test_whatever_a_damaged_answer_says_no_row_is_stored_that_cannot_be_read() -> None:
    chance = random.Random(20261116)
    array, accepted = encoded(note='"quoted" \\ and é', number=1.25), 0
    for _ in range(4000):
        damaged = bytearray(array)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] = chance.choice(b'"\\{}[]:,e.-0159 \xff\xc3\x00u')
        try:
            expected = whole(bytes(damaged))
        except (Reason, AttributeError):
            assert decoded(bytes(damaged)) is None
            continue
        found = stored(bytes(damaged))
        assert found in (expected, None)
        accepted += found is not None
    assert accepted > 100


def test_a_page_is_stored_with_every_digit_as_it_came() -> None:
    members = ById({"after": "from_id"}).members
    body = b'{"data": [{"id": "8", "status": "posted", "amount": 12345678901234567.890, "new": {"a": [1]}}]}'
    [chunk] = RawPage(body, [members]).chunks(None, cut=False, members=members)
    assert chunk.page.rows == [{"id": "8"}]
    assert chunk.encode([{"id": "8", "_id": "8"}]) == [
        b'{"id": "8", "status": "posted", "amount": 12345678901234567.890, "new": {"a": [1]},"_id":"8"}'
    ]
