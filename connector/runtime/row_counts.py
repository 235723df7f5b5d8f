"""The expected number of rows of a paid list, from the free accounts list.

The service does not document its page size, and a page that was cut off looks complete unless its length is a round
number. The free accounts list counts the rows of every account: while fewer were read, there are more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any


def rows_counted(accounts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of posted and pending rows by account id, without accounts that do not report one."""
    counted: dict[str, int] = {}
    for account in accounts:
        extra = account.get("extra")
        counts = extra.get("transactions_count") if isinstance(extra, Mapping) else None
        if isinstance(counts, Mapping):
            kinds = [counts.get("posted"), counts.get("pending")]
            known = [count for count in kinds if type(count) is int and count >= 0]
            if known:
                counted[str(account.get("id"))] = sum(known)
    return counted


def pending_counted(accounts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of pending rows by account id, without accounts that do not report one."""
    counted: dict[str, int] = {}
    for account in accounts:
        extra = account.get("extra")
        counts = extra.get("transactions_count") if isinstance(extra, Mapping) else None
        pending = counts.get("pending") if isinstance(counts, Mapping) else None
        if type(pending) is int and pending >= 0:
            counted[str(account.get("id"))] = pending
    return counted


def rows_in(counted: Mapping[str, int], account_id: str | None) -> int | None:
    """Return the number of rows of one account or of all; None when unknown."""
    if account_id is not None:
        return counted.get(account_id)
    return sum(counted.values()) if counted else None


class RowTotals:
    """How many rows of a list had been read at a cursor, for one trigger with its inputs."""

    def __init__(
        self, kept: MutableMapping[tuple[str, str, str], int] | None = None, trigger: str = "", inputs: Any = None
    ) -> None:
        self._kept = {} if kept is None else kept
        self._flow = (trigger, repr(sorted((inputs or {}).items())))

    def at(self, cursor: str | None) -> int | None:
        """Return the number at a cursor; None when it is not known."""
        return None if cursor is None else self._kept.get((*self._flow, cursor))

    def set(self, cursor: str, rows: int) -> None:
        """Remember the number at a cursor."""
        self._kept[(*self._flow, cursor)] = rows
