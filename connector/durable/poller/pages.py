"""A page of bank rows, decoded in chunks, so that a long page is never in memory as a whole.

Rows are first sorted by id, in whatever order they came: a cursor may only advance over rows that were processed. Only
id and account of a row are decoded for that; for a trigger that passes rows on as they came, what it decides by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from connector.core.answers import LIST_KEYS
from connector.core.errors import BadReply
from connector.core.messages import say
from connector.core.polls.page import Members, Page, Row
from connector.core.reasons import reason_of
from connector.core.values import json
from connector.core.values.ids import number_of
from connector.durable.poller import partial_rows

CHUNK_ROWS = 2000


RawRow = tuple[int, Any, msgspec.Raw]
Encode = Callable[[Sequence[Row]], list[bytes]]
"""The number of its id, its account, and the row as it came."""


class _RowHead(msgspec.Struct):
    id: Any = None
    account_id: Any = None


_ENVELOPE = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD = msgspec.json.Decoder(_RowHead)
_HEADS = msgspec.json.Decoder(list[_RowHead])


@dataclass(frozen=True, slots=True)
class Chunk:
    """Decoded rows, and how items made of them are stored."""

    page: Page
    encode: Encode = json.encode_each


class RawPage:
    """The undecoded rows of one answer, sorted by id."""

    def __init__(self, body: bytes) -> None:
        raws, heads = _read(body)
        self.length = len(raws)
        """The number of all rows, readable or not, which shows whether the page was cut off."""
        rows = [
            (number, head.account_id, raw)
            for head, raw in zip(heads, raws, strict=True)
            if (number := number_of(head.id)) is not None
        ]
        rows.sort(key=_number)
        self._rows = rows

    @property
    def last_id(self) -> int | None:
        """The highest id."""
        return self._rows[-1][0] if self._rows else None

    def count_after(self, account_id: str | None, id: int) -> int:
        """Return the number of rows with a higher id, of one account if given."""
        return sum(
            number > id and (account_id is None or str(account) == account_id) for number, account, _ in self._rows
        )

    def chunks(
        self,
        account_id: str | None,
        cut: bool,
        behind: int | None = None,
        until: int | None = None,
        members: Members | None = None,
    ) -> Iterator[Chunk]:
        """Yield the rows in chunks, of one account and up to an id if given. There is always at least one chunk.

        Every chunk but the last is marked as cut off; the last one if the page itself was. The first one begins
        `behind` an id, if given, and each other one behind the last id of the one before. Of rows that are passed on
        as they came only the `members` are decoded.
        """
        mine = (row for row in self._rows if account_id is None or str(row[1]) == account_id)
        own = [row for row in mine if until is None or row[0] <= until]
        for at in range(0, max(len(own), 1), CHUNK_ROWS):
            chunk = own[at : at + CHUNK_ROWS]
            rows, encode = _decoded(chunk, members)
            numbers = [number for number, _, _ in chunk]
            yield Chunk(Page(rows, cut or at + CHUNK_ROWS < len(own), behind, numbers), encode)
            behind = None if behind is None else chunk[-1][0] if chunk else behind


def _decoded(chunk: list[RawRow], members: Members | None) -> tuple[list[Row], Encode]:
    """Decode rows as far as needed, and say how items made of them are encoded."""
    text = b"[" + b",".join(raw for _, _, raw in chunk) + b"]"
    if members is not None and (partly := partial_rows.decode(text, members)) is not None:
        whole, added = {number: raw for number, _, raw in chunk}, members.added
        return partly, lambda items: partial_rows.completed(items, [whole[int(one["_id"])] for one in items], added)
    try:
        return json.decode(text), json.encode_each
    except ValueError as error:
        raise BadReply(say("reply_unexpected", why=reason_of(error))) from None


def _read(body: bytes) -> tuple[list[msgspec.Raw], list[_RowHead]]:
    """Split the body into undecoded rows, and decode the head of each."""
    try:
        array = _array(body)
        raws = _LIST.decode(array)
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise BadReply(say("reply_unexpected", why=reason_of(error))) from None
    try:
        return raws, _HEADS.decode(array)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return raws, [_head(raw) for raw in raws]  # one of them is invalid: decode them one by one


def _array(body: bytes) -> bytes | msgspec.Raw:
    """Return the list, without its envelope if there is one."""
    if body[:64].lstrip()[:1] != b"{":
        return body
    envelope = _ENVELOPE.decode(body)
    found = next((envelope[key] for key in LIST_KEYS if key in envelope), None)
    if found is None:
        raise ValueError("the answer carries no list")
    return found


def _head(raw: msgspec.Raw) -> _RowHead:
    try:
        return _HEAD.decode(raw)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return _RowHead()


def _number(row: RawRow) -> int:
    return row[0]
