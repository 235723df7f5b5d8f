"""A page of bank rows as it came, read two thousand at a time, so that a long page never stands in memory as a whole.

Rows are put in the order of their ids first, whatever order they came in: a cursor may only move over rows that lie
behind it. Which account a row is of is read without reading the rest of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from connector.core.answers import LIST_KEYS
from connector.core.errors import BadReply
from connector.core.messages import say
from connector.core.polls.page import Page as RowPage
from connector.core.polls.page import Row
from connector.core.values import json
from connector.core.values.ids import number_of

AT_ONCE = 2000


class _Head(msgspec.Struct):
    id: Any = None
    account_id: Any = None


_ENVELOPE = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD = msgspec.json.Decoder(_Head)
_HEADS = msgspec.json.Decoder(list[_Head])


class Page:
    """The rows of one answer."""

    def __init__(self, body: bytes) -> None:
        raws, heads = _read(body)
        self.length = len(raws)
        """Of all rows, readable or not: the only sign of whether the page was cut off."""
        rows = [
            (number, head.account_id, raw)
            for head, raw in zip(heads, raws, strict=True)
            if (number := number_of(head.id)) is not None
        ]
        rows.sort(key=_number)
        self._rows = rows

    @property
    def last(self) -> int | None:
        """The highest id."""
        return self._rows[-1][0] if self._rows else None

    def count(self, account_id: str | None, behind: int) -> int:
        """How many rows have a higher id, of one account if one is named."""
        return sum(
            number > behind and (account_id is None or str(account) == account_id) for number, account, _ in self._rows
        )

    def parts(self, account_id: str | None, cut: bool) -> Iterator[RowPage]:
        """The rows, of one account if one is named, in parts. There is always at least one part.

        Every part but the last is cut off; the last one if the page itself was.
        """
        own = [raw for _, account, raw in self._rows if account_id is None or str(account) == account_id]
        for at in range(0, max(len(own), 1), AT_ONCE):
            yield RowPage(_decoded(own[at : at + AT_ONCE]), cut or at + AT_ONCE < len(own))


def _decoded(raws: list[msgspec.Raw]) -> list[Row]:
    try:
        rows: list[Row] = json.decode(b"[" + b",".join(raws) + b"]")
    except ValueError as error:
        raise BadReply(say("reply_unexpected", why=error)) from None
    return rows


def _read(body: bytes) -> tuple[list[msgspec.Raw], list[_Head]]:
    """The rows as they came, and the head of each."""
    try:
        array = _array(body)
        raws = _LIST.decode(array)
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise BadReply(say("reply_unexpected", why=error)) from None
    try:
        return raws, _HEADS.decode(array)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return raws, [_head(raw) for raw in raws]  # one of them is odd: each for itself


def _array(body: bytes) -> bytes | msgspec.Raw:
    """The list itself, out of its envelope if it has one."""
    if body[:64].lstrip()[:1] != b"{":
        return body
    envelope = _ENVELOPE.decode(body)
    found = next((envelope[key] for key in LIST_KEYS if key in envelope), None)
    if found is None:
        raise ValueError("the answer carries no list")
    return found


def _head(raw: msgspec.Raw) -> _Head:
    try:
        return _HEAD.decode(raw)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return _Head()


def _number(row: tuple[int, Any, Any]) -> int:
    return row[0]
