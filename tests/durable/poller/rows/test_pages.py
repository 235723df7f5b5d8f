from __future__ import annotations

from typing import Any

import pytest

from connector.core.errors import BadReply
from connector.core.values import json
from connector.durable.poller import pages
from connector.durable.poller.pages import RawPage


def page(*rows: Any) -> RawPage:
    return RawPage(json.encode({"data": list(rows)}))


def row(id: Any, account: str = "a") -> dict[str, Any]:
    return {"id": id, "account_id": account}


def ids(raw_page: RawPage, account: str | None = None, cut: bool = False) -> list[list[Any]]:
    return [[part_row.get("id") for part_row in part.page.rows] for part in raw_page.chunks(account, cut)]


def test_rows_come_in_the_order_of_their_ids_beyond_what_a_double_holds() -> None:
    raw_page = page(row("10000000000000000001"), row("9007199254740993"), row("9007199254740992"))
    assert ids(raw_page) == [["9007199254740992", "9007199254740993", "10000000000000000001"]]
    assert raw_page.last_id == 10000000000000000001


def test_a_row_without_a_usable_id_counts_for_the_length_only() -> None:
    raw_page = page(row("1"), row(None), row("x"), row("-2"), "no row", 7, None, row(3))
    assert ids(raw_page) == [["1", 3]]
    assert raw_page.length == 8


def test_each_account_gets_its_own_rows() -> None:
    raw_page = page(row("1", "a"), row("2", "b"), row("3", "a"))
    assert ids(raw_page, "a") == [["1", "3"]]
    assert ids(raw_page, "c") == [[]]


@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, 30, 45])
@pytest.mark.parametrize("cut", [True, False])
def test_the_last_part_looks_cut_exactly_when_the_page_was(
    monkeypatch: pytest.MonkeyPatch, count: int, cut: bool
) -> None:
    monkeypatch.setattr(pages, "CHUNK_ROWS", 20)
    parts = [part.page for part in page(*(row(str(n)) for n in range(count))).chunks(None, cut)]
    assert [part.cut for part in parts] == [True] * (len(parts) - 1) + [cut]
    assert sum(1 for part in parts for part_row in part.rows if part_row) == count


@pytest.mark.parametrize("body", [b"", b"{}", b'{"data": 7}', b"[1", b'{"data": {"id": 1}}', b"\xff"])
def test_what_is_no_list_is_never_read_as_an_empty_one(body: bytes) -> None:
    with pytest.raises(BadReply):
        RawPage(body)


def test_what_is_no_list_is_told_in_german_too() -> None:
    with pytest.raises(BadReply) as refusal:
        RawPage(b"{}")
    assert refusal.value.message.de.endswith("die Antwort enthält keine Liste.")


def test_a_bare_list_is_read_too() -> None:
    assert ids(RawPage(b'[{"id": "5"}]')) == [["5"]]
