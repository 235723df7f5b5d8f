"""Fires every row of a list without an order once, when its id first stands there.

The cursor is `s:` and eleven characters of digest per id, so that ten thousand ids take 110 kB. Ids are never
forgotten: a list that comes back shorter, or empty, makes nothing fire again. Earlier versions wrote `k:` and another
digest; those stay behind what is written now.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from typing import Any

from connector.core.data.templates import at
from connector.core.polls.page import Page, PageResult, Row, first_id
from connector.core.values.dates import instant
from connector.core.values.ids import number_of

PREFIX, EARLIER = "s:", "k:"
DIGEST_LENGTH = 11
EARLIER_BYTES = 8
LAST = datetime.max.replace(tzinfo=UTC)


class Seen:
    """The strategy `seen`."""

    stateless = True
    reads_by_id = False
    reads_again = False
    members = None

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self.single = str(declared["order"])
        """The field by which the oldest comes first: a date that a platform may keep instead of ids."""

    def asks(self, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
        """Nothing beyond the inputs."""
        return {}

    def turn(self, page: Page, cursor: str | None, inputs: Mapping[str, Any], now: datetime, start: str) -> PageResult:
        """The rows whose ids were never seen before, oldest first, and the next cursor."""
        known, earlier = _read(cursor) if cursor is not None else ({}, "")
        old = _earlier_digests(earlier)
        rows = {id: row for row in page.rows if isinstance(row, dict) and (id := _id(row.get("id"))) is not None}
        fresh = {id: row for id, row in rows.items() if _digest(id) not in known and _earlier(id) not in old}
        fires = fresh if cursor is not None else _at_start(fresh, start)
        known |= dict.fromkeys(map(_digest, rows))
        ordered = sorted(fires.items(), key=lambda pair: self._created(pair[1]))
        text = PREFIX + "".join(known) + earlier
        return PageResult([{**row, "_id": id} for id, row in ordered], text)

    def without_memory(self, rows: list[Row], inputs: Mapping[str, Any], now: datetime) -> list[Row]:
        """What a platform without a cursor shows: every row, newest first."""
        return self.turn(Page(rows), None, inputs, now, "all").items[::-1]

    def _created(self, row: Row) -> datetime:
        try:
            return instant(at(row, self.single))
        except ValueError:
            return LAST


def _at_start(rows: dict[str, Row], start: str) -> dict[str, Row]:
    """What a first poll fires. Since an id: only ids that are numbers can be later than it."""
    first = first_id(start)
    if first is None:
        return {}
    if start == "all":
        return rows
    return {id: row for id, row in rows.items() if (number := number_of(id)) is not None and number > first}


def _id(value: Any) -> str | None:
    return str(value) if (type(value) is str and value) or type(value) is int else None


def _digest(id: str) -> str:
    packed = sha256(id.encode(errors="surrogatepass")).digest()
    return base64.urlsafe_b64encode(packed).decode()[:DIGEST_LENGTH]


def _earlier(id: str) -> bytes:
    return blake2b(id.encode(errors="surrogatepass"), digest_size=EARLIER_BYTES).digest()


def _read(cursor: str) -> tuple[dict[str, None], str]:
    """The digests of a cursor, and what an earlier version wrote, as it was."""
    own, mark, rest = cursor.partition(EARLIER)
    digests = own.removeprefix(PREFIX)
    if (own and not own.startswith(PREFIX)) or not (own or mark) or len(digests) % DIGEST_LENGTH:
        raise _foreign(cursor)
    earlier = mark + rest
    _earlier_digests(earlier)
    return {digests[place : place + DIGEST_LENGTH]: None for place in range(0, len(digests), DIGEST_LENGTH)}, earlier


def _earlier_digests(text: str) -> frozenset[bytes]:
    try:
        packed = base64.b64decode(text.removeprefix(EARLIER), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _foreign(text) from None
    if len(packed) % EARLIER_BYTES:
        raise _foreign(text)
    return frozenset(packed[place : place + EARLIER_BYTES] for place in range(0, len(packed), EARLIER_BYTES))


def _foreign(cursor: str) -> ValueError:
    return ValueError(f"not a cursor of this trigger: {cursor[:40]!r}")
