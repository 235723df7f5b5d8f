"""How many rows a paid list should have, by the free accounts list.

The service announces no size of its pages, and a page that was cut off looks like a whole one unless its length is
suspiciously round. The accounts list counts the rows of every account and costs nothing: while fewer came than it
counts, there are more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def rows_counted(accounts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many rows each account has, posted and pending, by the id of the account; without those that do not say."""
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


def rows_in(counted: Mapping[str, int], account_id: str | None) -> int | None:
    """The rows of one account, or of all together; None when nothing was counted."""
    if account_id is not None:
        return counted.get(account_id)
    return sum(counted.values()) if counted else None
