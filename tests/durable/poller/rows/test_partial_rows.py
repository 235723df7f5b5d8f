"""Rows that are decoded in part and stored as they came are what whole rows would have been."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from connector.core.errors import BadReply
from connector.core.polls.by_id import ById
from connector.core.polls.page import Members, Row
from connector.core.problems import Problem
from connector.core.values import json
from connector.durable.poller import pages
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
    return pages.decode(raws, MEMBERS)


def stored(array: bytes) -> list[Any] | None:
    """What is stored of the rows and read again; None where they are not decoded in part."""
    rows = decoded(array)
    if rows is None:
        return None
    raws = dict(enumerate(msgspec.json.Decoder(list[msgspec.Raw]).decode(array)))
    items = [{**row, "_id": str(number), "late": False} for number, row in enumerate(rows)]
    return [json.decode(item) for item in pages.completed(items, raws, MEMBERS.added)]


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
        except (Problem, AttributeError):
            assert decoded(bytes(damaged)) is None
            continue
        read_row = stored(bytes(damaged))
        assert read_row in (expected, None)
        accepted += read_row is not None
    assert accepted > 100


def test_a_page_is_stored_with_every_digit_as_it_came() -> None:
    members = ById({"after": "from_id"}).members
    body = b'{"data": [{"id": "8", "status": "posted", "amount": 12345678901234567.890, "new": {"a": [1]}}]}'
    [chunk] = RawPage(body, [members]).chunks(None, cut=False, members=members)
    assert chunk.page.rows == [{"id": "8"}]
    assert chunk.encode([{"id": "8", "_id": "8"}]) == [
        b'{"id": "8", "status": "posted", "amount": 12345678901234567.890, "new": {"a": [1]},"_id":"8"}'
    ]


def page_of(*rows: bytes) -> bytes:
    return b'{"data": [' + b",".join(rows) + b"]}"


def test_each_trigger_on_a_shared_page_gets_what_it_reads_and_adds() -> None:
    first, second = Members(("id", "status"), ("_id",)), Members(("id", "amount"), ("_id", "late"))
    page = RawPage(page_of(b'{"id": "8", "status": "posted", "amount": 5, "note": "x"}'), [first, None, second])
    [[first_part], [two], [whole]] = [
        list(page.chunks(None, cut=False, members=members)) for members in (first, second, None)
    ]
    assert first_part.encode([{"_id": "8"}]) == [b'{"id": "8", "status": "posted", "amount": 5, "note": "x","_id":"8"}']
    assert two.encode([{"_id": "8", "late": True}])[0].endswith(b'"note": "x","_id":"8","late":true}')
    assert (first_part.page.rows[0]["status"], two.page.rows[0]["amount"]) == ("posted", 5)
    assert whole.page.rows == [{"id": "8", "status": "posted", "amount": 5, "note": "x"}]


def test_one_unusual_row_far_behind_has_the_whole_page_decoded_and_loses_none() -> None:
    rows = [b'{"id": "%d", "status": "posted", "amount": 5}' % number for number in range(1, 200)]
    rows[150] = b'{"id": "151", "status": "posted", "amount": 1e5}'
    [chunk] = RawPage(page_of(*rows), [MEMBERS]).chunks(None, cut=False, members=MEMBERS)
    assert chunk.page.numbers == list(range(1, 200))
    assert json.decode(chunk.encode(chunk.page.rows)[150])["amount"] == 100_000


def test_a_row_that_cannot_be_read_is_told_and_not_passed_over() -> None:
    rows = [b'{"id": "1"}', b'{"id": "2", "amount": 1e999}', b'{"id": "3", "note": "\xff"}']
    for bad in rows[1:]:
        page = RawPage(page_of(rows[0], bad), [MEMBERS])
        assert page.length == 2
        with pytest.raises(BadReply):
            list(page.chunks(None, cut=False, members=MEMBERS))
