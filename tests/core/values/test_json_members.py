"""What a document holds is counted while it arrives, wherever it is cut, and texts count nothing."""

from __future__ import annotations

from itertools import pairwise
from json import dumps, loads
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.core import limits
from connector.core.values import json
from connector.core.values.json_members import PART_BYTES, HoldsTooMuch, MemberCount

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab\\",:{}[]é'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('ab\\",:{}[]é'), inner),
)


def names_and_values(value: Any) -> tuple[int, int]:
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    counts = [names_and_values(value_inside) for value_inside in inside]
    names = (len(value) if isinstance(value, dict) else 0) + sum(count[0] for count in counts)
    return names, 1 + sum(count[1] for count in counts)


def counted(parts: list[bytes], most: int | None = None) -> MemberCount:
    count = MemberCount(most)
    for part in parts:
        count.add(part)
    return count


@settings(max_examples=50)
@given(DOCUMENTS, st.booleans(), st.lists(st.integers(0, 60)))
def test_the_count_is_that_of_the_document_wherever_it_is_cut(value: Any, is_ascii: bool, cuts: list[int]) -> None:
    body = dumps(value, ensure_ascii=is_ascii).encode()
    places = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    parts = [body[start:end] for start, end in pairwise(places)]
    count = counted(parts)
    names, values = names_and_values(value)
    assert count.names == names
    assert values <= count.members + 1 <= 2 * values


def test_a_document_beyond_the_limit_is_refused_before_its_end_is_there() -> None:
    count = MemberCount(1000)
    count.add(b'{"a": [')
    with pytest.raises(HoldsTooMuch, match="more than 1000 values") as refused:
        count.add(b"{}," * 600)
    assert refused.value.text.de == "es enthält mehr als 1000 Werte"


@pytest.mark.parametrize(
    "part", [b'"a"', b'"",', b"[],", b"1,", b'{"a":'], ids=["texts", "empty", "lists", "numbers", "deep"]
)
def test_whatever_costs_is_counted_even_where_it_is_no_json(part: bytes) -> None:
    with pytest.raises(HoldsTooMuch):
        counted([part * 5000], 2000)


@pytest.mark.parametrize("text", ["," * 50_000, "[{" * 50_000, '\\"' * 50_000, "\\\\" * 50_001, "1" * 50_000])
def test_what_stands_in_a_text_counts_nothing(text: str) -> None:
    body = dumps({"a": text}).encode()
    for size in (7, PART_BYTES, len(body)):
        assert counted([body[start : start + size] for start in range(0, len(body), size)]).members == 1
    assert json.decode_unambiguous(body) == {"a": text}


@pytest.mark.parametrize("cut", [0, 1, 500, 1001])
def test_a_number_is_as_long_wherever_it_is_cut(cut: int) -> None:
    longest = limits.MAX_NUMBER_CHARACTERS
    for number in ("1" * longest, "-0." + "1" * (longest - 3)):
        body = f"[{number}]".encode()
        counted([body[:cut], body[cut:]])
    body = b"[%b]" % (b"1" * (longest + 1))
    with pytest.raises(HoldsTooMuch, match="too many digits"):
        counted([body[:cut], body[cut:]])
    counted([b'["%b", 1]' % (b"1" * longest), b"1"])


def test_a_document_that_somebody_wrote_is_refused_for_what_it_holds_before_it_is_decoded() -> None:
    with pytest.raises(HoldsTooMuch):
        json.decode_unambiguous(b"[" + b"{}," * limits.MAX_MEMBERS + b"{}]")
    with pytest.raises(HoldsTooMuch):
        json.decode_unambiguous("[" + "9" * 5000 + "]")


@pytest.mark.parametrize("text", ["[" * 200_000 + "]" * 200_000, "[]" * 200_000])
def test_brackets_in_a_text_are_no_nesting(text: str) -> None:
    body = dumps({"a": text}).encode()
    assert json.decode(body) == json.decode_unambiguous(body) == loads(body)


def test_many_documents_in_one_may_nest_in_several_levels() -> None:
    body = b"[" + b",".join([b'{"a":{"b":{"c":[[]]}}}'] * 2000) + b"]"
    assert json.decode(body) == loads(body)
    deep = b"[" + b",".join([b"[" * 60 + b"]" * 60] * 200) + b"," + b"[" * 101 + b"]" * 101 + b"]"
    with pytest.raises(ValueError, match="nested deeper"):
        json.decode(deep)


def test_text_has_a_limit_and_files_have_none_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TEXT_BYTES", limits.MEGABYTE)
    size = 3 * limits.MEGABYTE // 2
    for file in ("A" * 76, "A" * 76 + "\r\n", "data:application/pdf;base64," + "QUJD" * 20):
        counted([dumps({"a": file * (size // len(file))}).encode()])
    for text in ("é" * size, "\n" * size, '"' * size, "\\" * size):
        body = dumps({"a": text}, ensure_ascii=False).encode()
        with pytest.raises(HoldsTooMuch, match="more than 1 MB besides files"):
            counted([body])
    counted([b"{" + b" \n" * size + b"}"])
