"""Notices what is new in a list without a cursor of its own: it remembers which ids it has seen.

The cursor is `k:` and eight bytes of digest per id, so that ten thousand ids take about 110 kB. Ids are never
forgotten: a list that comes back shorter, or empty, makes nothing fire again.
"""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from connector.core.values.dates import instant
from connector.core.values.ids import number_of
from triggers.rows import Row, first_id

PREFIX = "k:"
DIGEST_BYTES = 8
LAST = datetime.max.replace(tzinfo=UTC)


def first_seen(items: list[Row], cursor: str | None, start: str) -> tuple[list[Row], str]:
    """The rows whose ids were never seen before, oldest first, and the next cursor."""
    known = _read(cursor) if cursor is not None else {}
    rows = {text: item for item in items if isinstance(item, dict) and (text := _id_text(item.get("id"))) is not None}
    fresh = {text: row for text, row in rows.items() if _digest(text) not in known}
    fires = fresh if cursor is not None else _at_start(fresh, start)
    known |= dict.fromkeys(map(_digest, fresh))
    ordered = sorted(fires.items(), key=lambda pair: _created(pair[1]))
    return [{**row, "_id": text} for text, row in ordered], _write(known)


def _at_start(rows: dict[str, Row], start: str) -> dict[str, Row]:
    """What a first poll fires. Since an id: only ids that are numbers can be later than it."""
    first = first_id(start)
    if first is None:
        return {}
    if start == "all":
        return rows
    return {text: row for text, row in rows.items() if (number := number_of(text)) is not None and number > first}


def _id_text(id: Any) -> str | None:
    return str(id) if (type(id) is str and id) or type(id) is int else None


def _created(row: Row) -> datetime:
    try:
        return instant(row.get("created_at"))
    except ValueError:
        return LAST


def _digest(id: str) -> bytes:
    return blake2b(id.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).digest()


def _write(known: dict[bytes, None]) -> str:
    return PREFIX + base64.urlsafe_b64encode(b"".join(known)).decode()


def _read(cursor: str) -> dict[bytes, None]:
    try:
        packed = base64.b64decode(cursor.removeprefix(PREFIX), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        packed = b"?"
    if not cursor.startswith(PREFIX) or len(packed) % DIGEST_BYTES:
        raise ValueError(f"not a cursor of this trigger: {cursor[:40]!r}")
    return {packed[at : at + DIGEST_BYTES]: None for at in range(0, len(packed), DIGEST_BYTES)}
