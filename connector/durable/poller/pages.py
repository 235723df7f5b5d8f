"""Pages of bank rows: decoded in chunks and only in part, so that a long page is never in memory as a whole.

Paid lists of bank rows, shared by flows on one bank connection: which triggers read them, with which inputs.

Rows of which only some members are decoded, and which are stored as they came.

Decoding and encoding every member of every row takes most of the time of a poll, and most triggers look at few of them.
What is skipped is still checked by the decoder, but for two things, which are checked here: that it is UTF-8, and that
no number is beyond what the exact decoder accepts. Where in doubt, nothing is decoded here, and the whole rows are.

A page of bank rows, decoded in chunks, so that a long page is never in memory as a whole.

Rows are first sorted by id, in whatever order they came: a cursor may only advance over rows that were processed. Of
each row only its id, its account and what the triggers decide by is decoded for that; whole rows are decoded chunk by
chunk, where a trigger needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypedDict

import msgspec

from connector.core.data.answers import LIST_KEYS
from connector.core.errors import BadReply
from connector.core.manifest.model import Trigger
from connector.core.messages import say
from connector.core.polls.page import Members, Page, Row
from connector.core.problems import Problem, reason_of
from connector.core.values import json
from connector.core.values.ids import number_of

BANK_CONNECTION = "connection_id"
ACCOUNT = "account_id"
FROM_ID = "from_id"
FROM_DATE = "from_date"


def reads_bank_rows(trigger: Trigger) -> bool:
    """Whether the trigger reads a paid list of bank rows by their ids."""
    return trigger.shared is not None


PIECE_ROWS = 64
"""Rows that are checked and decoded together: few enough to stay in the processor's cache."""
LONG_NUMBER, SAMPLED = 200, 20
"""As many digits or more may be beyond what is accepted; it is enough to look at every so manieth character."""
_NUMBER, _STRUCTURE = b"0123456789.+-", b"[]{}:, \t\r\n"
_DIGITS = bytes.maketrans(_NUMBER, b"0" * len(_NUMBER))
_SIMPLIFIED = bytes.maketrans(_STRUCTURE + b"E", b"," * len(_STRUCTURE) + b"e")


def decode(raws: Sequence[msgspec.Raw], members: Members) -> list[Row] | None:
    """Decode those members of each row; None where whole rows must be decoded."""
    rows: list[Row] = []
    for at in range(0, len(raws), PIECE_ROWS):
        piece = _decode_piece(joined(raws[at : at + PIECE_ROWS]), members)
        if piece is None:
            return None
        rows += piece
    return rows


def joined(raws: Iterable[msgspec.Raw]) -> bytes:
    """Return the rows as one JSON array."""
    return b"[" + b",".join(raws) + b"]"


def completed(items: Sequence[Row], rows: Mapping[int, msgspec.Raw], added: Sequence[str]) -> list[bytes]:
    """Return the whole items as JSON: each row as it came, by the number of its id, and what was added to it."""
    ends = json.encode_each([{name: item[name] for name in added} for item in items])
    wholes = [memoryview(rows[int(item["_id"])])[:-1] for item in items]
    return [b"".join((whole, b",", end[1:])) for whole, end in zip(wholes, ends, strict=True)]


def _decode_piece(array: bytes, members: Members) -> list[Row] | None:
    if json.may_nest_too_deep(array) or _may_hold_unusual_numbers(array):
        return None
    try:
        array.decode()
        rows: list[Row] = _decoder(members).decode(array)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return None
    return None if any(not row.keys().isdisjoint(members.added) for row in rows) else rows


def row_of(names: Iterable[str]) -> Any:
    """Return the type of a row of which only these members are decoded."""
    declared: Any = dict.fromkeys(names, Any)
    row: Any = TypedDict("row", declared, total=False)  # type: ignore[misc]
    return row


@lru_cache(maxsize=256)
def _decoder(members: Members) -> msgspec.json.Decoder[list[Row]]:
    row: Any = row_of((*members.read, *members.added))
    return json.exact_decoder(list[row])


def _may_hold_unusual_numbers(array: bytes) -> bool:
    """Whether something looks like a number with an exponent, or like a very long one."""
    if b"0" * (LONG_NUMBER // SAMPLED - 1) in array[::SAMPLED].translate(_DIGITS):
        return True
    return b",e," in array.translate(_SIMPLIFIED, _NUMBER)  # `12.5E+3,` without its digits


CHUNK_ROWS = 2000
HEAD = ("id", ACCOUNT)

RawRow = tuple[int, Row, msgspec.Raw]
"""The number of its id, what is decoded of it, and the row as it came."""
Encode = Callable[[Sequence[Row]], list[bytes]]

_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD: msgspec.json.Decoder[Row] = msgspec.json.Decoder(row_of(HEAD))


def _envelope(key: str) -> msgspec.json.Decoder[Any]:
    rows: Any = list[msgspec.Raw] | msgspec.UnsetType
    return msgspec.json.Decoder(msgspec.defstruct(key, [("rows", rows, msgspec.UNSET)], rename={"rows": key}))


_ENVELOPES = [_envelope(key) for key in LIST_KEYS]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Decoded rows, and how items made of them are stored."""

    page: Page
    encode: Encode = json.encode_each


class RawPage:
    """The undecoded rows of one answer, sorted by id."""

    def __init__(self, body: bytes, wanted: Sequence[Members | None] = ()) -> None:
        """`wanted` are the members that each trigger reads which will ask for chunks; None: all."""
        raws = _split(body)
        self.length = len(raws)
        """The number of all rows, readable or not, which shows whether the page was cut off."""
        partly = decode(raws, _together(wanted))
        self._partly = partly is not None
        rows = [
            (number, row, raw)
            for row, raw in zip(partly or map(_head, raws), raws, strict=True)
            if (number := number_of(row.get("id"))) is not None
        ]
        rows.sort(key=_number)
        self._rows = rows

    @property
    def last_id(self) -> int | None:
        """The highest id."""
        return self._rows[-1][0] if self._rows else None

    def count_after(self, account_id: str | None, id: int) -> int:
        """Return the number of rows with a higher id, of one account if given."""
        return sum(number > id for number, _, _ in self._of(account_id))

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
        own = [row for row in self._of(account_id) if until is None or row[0] <= until]
        for at in range(0, max(len(own), 1), CHUNK_ROWS):
            chunk = own[at : at + CHUNK_ROWS]
            rows, encode = self._decoded(chunk, members)
            numbers = [number for number, _, _ in chunk]
            yield Chunk(Page(rows, cut or at + CHUNK_ROWS < len(own), behind, numbers), encode)
            behind = None if behind is None else chunk[-1][0] if chunk else behind

    def _of(self, account_id: str | None) -> list[RawRow]:
        if account_id is None:
            return self._rows
        return [row for row in self._rows if str(row[1].get(ACCOUNT)) == account_id]

    def _decoded(self, chunk: list[RawRow], members: Members | None) -> tuple[list[Row], Encode]:
        """Decode rows as far as needed, and say how items made of them are encoded."""
        if members is not None and self._partly:
            whole, added = {number: raw for number, _, raw in chunk}, members.added
            return [row for _, row, _ in chunk], lambda items: completed(items, whole, added)
        try:
            return json.decode(joined([raw for _, _, raw in chunk])), json.encode_each
        except ValueError as error:
            raise BadReply(say("reply_unexpected", why=reason_of(error))) from None


def _split(body: bytes) -> list[msgspec.Raw]:
    """Split the list, in its envelope or bare, into undecoded rows."""
    try:
        if body[:64].lstrip()[:1] != b"{":
            return _LIST.decode(body)
        rows = next((listed for read in _ENVELOPES if (listed := read.decode(body).rows) is not msgspec.UNSET), None)
        if rows is None:
            raise Problem("answer_no_list")
        return rows  # type: ignore[no-any-return]
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise BadReply(say("reply_unexpected", why=reason_of(error))) from None


def _together(wanted: Sequence[Members | None]) -> Members:
    """Return what is decoded of each row: its head, and what the triggers that do not need all of it read."""
    given = [members for members in wanted if members is not None]
    read, added = (
        {*HEAD, *(name for members in given for name in members.read)},
        {name for members in given for name in members.added},
    )
    return Members(tuple(sorted(read)), tuple(sorted(added)))


def _head(raw: msgspec.Raw) -> Row:
    """Decode the head of a row where not all of them can be decoded in part; what is no row has an empty one."""
    try:
        return _HEAD.decode(raw)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return {}


def _number(row: RawRow) -> int:
    return row[0]
