"""The sandbox's own record: every request it received and what became of it. Never an API key."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Literal

from msgspec import Struct

KEPT = 100_000


class Entry(Struct, kw_only=True):
    sequence: int
    at: datetime
    method: str
    path: str
    query: dict[str, str]
    body: Any
    key: str | None
    """The key's name; None when the call carried no known key."""
    status: int | Literal["dropped"] | None = None
    """What was answered; None while the request is still being worked on."""
    acted: bool = False
    """True exactly when the request was carried out and changed the world, whatever the caller got to see."""
    credits_charged: int = 0
    credits_reserved: int = 0
    """Held back for an outcome known only later (a payment)."""
    dropdown: bool = False
    fault: str | None = None


class Record:
    """The last requests, in the order they came in."""

    def __init__(self, kept: int = KEPT) -> None:
        self._entries: deque[Entry] = deque(maxlen=kept)
        self.received = 0

    def open(self, at: datetime, method: str, path: str, query: Mapping[str, str], body: Any, key: str | None) -> Entry:
        """Note a request on arrival; what becomes of it is filled in on the returned entry."""
        self.received += 1
        entry = Entry(sequence=self.received, at=at, method=method, path=path, query=dict(query), body=body, key=key)
        self._entries.append(entry)
        return entry

    def since(self, sequence: int, limit: int) -> list[Entry]:
        """Entries with a higher sequence number, oldest first."""
        dropped = self.received - len(self._entries)
        return list(islice(self._entries, max(0, sequence - dropped), max(0, sequence - dropped) + limit))
