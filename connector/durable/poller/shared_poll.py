"""Polls one paid list of bank rows for all cursors on the same bank connection.

The list is read from the lowest id that any of them needs, and each gets the rows of its own account. Each trigger
finds out by its own cursor which rows are new, and ignores the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from connector.core.client import Call
from connector.core.polls.page import looks_cut
from connector.durable.poller.bank_rows import ACCOUNT, BANK_CONNECTION, FROM_DATE, FROM_ID
from connector.durable.poller.context import PollContext
from connector.durable.poller.pages import RawPage
from connector.durable.poller.polled_cursor import PolledCursor
from connector.runtime.poll import MAX_BASELINE_PAGES

POSITION = frozenset({BANK_CONNECTION, ACCOUNT, FROM_ID, FROM_DATE})


async def poll_shared(
    context: PollContext, polled_cursors: Sequence[PolledCursor], bank_connection: str | None
) -> None:
    """Poll the cursors of one bank connection with as few calls as possible."""
    for group in _groups(context, polled_cursors):
        scope = _scope(group, bank_connection)
        separate = await _read(context, group, scope)
        for cursor in separate:
            await poll_single(context, cursor)


def _groups(context: PollContext, polled_cursors: Sequence[PolledCursor]) -> Iterator[list[PolledCursor]]:
    """Yield groups of cursors that can share a list.

    A cursor that stopped in the middle is polled alone, and first polls are kept apart from later ones: a first poll
    may read the whole history, which the others do not need.
    """
    together: dict[Any, list[PolledCursor]] = {}
    for cursor in polled_cursors:
        begun = cursor.stored.polled_at is None and cursor.position is not None
        if begun or cursor.stored.sign.get("unfinished"):
            yield [cursor]
            continue
        call = cursor.call(context)
        rest = tuple(sorted((name, str(value)) for name, value in call.query.items() if name not in POSITION))
        together.setdefault((call.method, call.path, rest, FROM_ID in call.query), []).append(cursor)
    yield from together.values()


def _own_scope(cursor: PolledCursor) -> dict[str, str]:
    return {name: str(cursor.inputs[name]) for name in (BANK_CONNECTION, ACCOUNT) if name in cursor.inputs}


def _scope(group: Sequence[PolledCursor], bank_connection: str | None) -> dict[str, str]:
    """Return what to request: the one account that all need, else the whole bank connection."""
    scopes = [_own_scope(cursor) for cursor in group]
    if all(scope == scopes[0] for scope in scopes) or bank_connection is None:
        return scopes[0]
    accounts = {scope.get(ACCOUNT) for scope in scopes}
    if len(accounts) == 1 and None not in accounts:
        return {ACCOUNT: str(accounts.pop())}
    return {BANK_CONNECTION: bank_connection}


async def poll_single(context: PollContext, cursor: PolledCursor, pages: int | None = None) -> None:
    """Poll one cursor with its own inputs, at most so many pages."""
    await _read(context, [cursor], _own_scope(cursor), pages)


async def _read(
    context: PollContext, group: list[PolledCursor], scope: Mapping[str, str], pages: int | None = None
) -> list[PolledCursor]:
    """Read page by page; return the cursors that must be polled separately after all."""
    active, separate, position = group, list[PolledCursor](), None
    # Reading history at once costs no more than in several polls, during which new rows would be skipped with it.
    history = any(cursor.skips_history for cursor in group)
    for _ in range(pages or (MAX_BASELINE_PAGES if history else context.settings.credits_per_poll)):
        call = _call(context, active, scope, position)
        first = active[0]
        page = RawPage((await first.send(context, call)).body)
        more_rows = _expects_more_rows(page, active, scope, call)  # called for every page, since it counts the rows
        cut = more_rows or looks_cut(page.length)
        if cut and position is None:
            # A first poll must see the end of its own list to know where its history ends.
            separate = [one for one in active if one.position is None and _account_filter(one, scope) is not None]
            active = [one for one in active if one not in separate]
        for cursor in active:
            for chunk in page.chunks(_account_filter(cursor, scope), cut):
                await cursor.process(context, chunk)
        for cursor in active:
            await cursor.wait_for_commits()
        if not cut or not active or page.last_id is None or (position is not None and page.last_id <= position):
            return separate
        position = page.last_id
    for cursor in active:
        cursor.unfinished = True
    return separate


def _expects_more_rows(page: RawPage, group: Sequence[PolledCursor], scope: Mapping[str, str], call: Call) -> bool:
    """Count the page's rows; return whether more must follow. A list by date cannot be compared with the count."""
    expects_more = False
    for cursor in group:
        if cursor.row_count is not None:
            cursor.row_count.add_page(page, _account_filter(cursor, scope))
            expects_more = expects_more or cursor.row_count.expects_more
    return expects_more and page.length > 0 and FROM_DATE not in call.query


def _account_filter(cursor: PolledCursor, scope: Mapping[str, str]) -> str | None:
    """Return the account whose rows the cursor needs, if the page may contain others too."""
    account = cursor.inputs.get(ACCOUNT)
    return None if account is None or ACCOUNT in scope else str(account)


def _call(context: PollContext, group: Sequence[PolledCursor], scope: Mapping[str, str], position: int | None) -> Call:
    calls = [cursor.call(context) for cursor in group]
    query = {name: value for name, value in calls[0].query.items() if name not in POSITION} | dict(scope)
    if position is not None:
        query[FROM_ID] = str(position)
    elif all(FROM_ID in call.query for call in calls):
        query[FROM_ID] = str(min(int(str(call.query[FROM_ID])) for call in calls))
    elif all(FROM_DATE in call.query for call in calls):
        query[FROM_DATE] = min(str(call.query[FROM_DATE]) for call in calls)
    return replace(calls[0], query=query, keep_raw=True)
