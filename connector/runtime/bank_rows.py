"""Paid lists of bank rows: which triggers read them, and how many rows there should be by the free accounts list.

The service announces no size of its pages, and a page that was cut off looks like a whole one unless its length is
suspiciously round. The accounts list counts the rows of every account and costs nothing: while fewer came than it
counts, there are more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from connector.core.manifest.model import Trigger
from connector.runtime import handlers

BANK_CONNECTION = "connection_id"
ACCOUNT = "account_id"
FROM_ID = "from_id"
FROM_DATE = "from_date"
MOST_FILLING = 50

Row = dict[str, Any]


def reads_bank_rows(trigger: Trigger) -> bool:
    """Whether the trigger reads a paid list of bank rows by their ids."""
    names = {field.name for field in trigger.inputs}
    pages = handlers.offered(trigger, "more") and handlers.offered(trigger, "ask")
    return bool(trigger.cost.credits and trigger.is_list and pages) and {BANK_CONNECTION, ACCOUNT, FROM_ID} <= names


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


def made_to_look(rows: list[Row], looks_cut: Callable[[list[Row]], bool], cut: bool) -> list[Row]:
    """A list whose length says whether it was cut off, which is what triggers judge by.

    Empty rows, which they pass over, fill it up to such a length.
    """
    for _ in range(MOST_FILLING):
        if looks_cut(rows) == cut:
            break
        rows = [*rows, {}]
    return rows
