"""Polls one paid list of bank rows for all cursors on the same bank connection.

Which part of a list of bank rows is read next: rows that are read again, and the rows ahead.

Rows that are read again stand behind what is known, perhaps many pages apart. One call from the lowest of them may show
all the rest too. If it does not, the rows ahead come first, so that nothing new waits for what may never change.

The list is read from the lowest id that any of them needs, and each gets the rows of its own account. Each trigger
finds out by its own cursor which rows are new, and ignores the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from connector.client import Call
from connector.core.polls.page import may_be_cut
from connector.durable.poller import late_rows
from connector.durable.poller.context import PollContext
from connector.durable.poller.pages import ACCOUNT, BANK_CONNECTION, FROM_DATE, FROM_ID, RawPage
from connector.durable.poller.polled_cursor import PolledCursor


class Reading:
    """The ids that one poll still has to read, for all its cursors."""

    def __init__(self, ahead: int, again: Iterable[int]) -> None:
        self.ahead = ahead
        """The highest id up to which everything was read before."""
        self._known = ahead
        self.again = sorted(id for id in again if id <= ahead)
        self._is_first = True
        self._reached_end = False

    @property
    def behind(self) -> int | None:
        """The id behind which the next page begins; None when all was read."""
        if self.again and (self._is_first or self._reached_end):
            return max(self.again[0] - 1, 0)
        return None if self._reached_end else self.ahead

    def read_again(self, ids: Iterable[int]) -> None:
        """Add rows to read again, except those that this poll has read ahead."""
        self.again = sorted(id for id in {*self.again, *ids} if id <= self._known)

    def add_page(self, behind: int, last_id: int | None, *, cut: bool) -> None:
        """Record a page that began behind an id and ended with `last_id`; None when it was empty."""
        self._is_first = False
        if last_id is None or last_id <= behind:  # empty, or of a list that does not begin where it was told to
            cut, last_id = False, behind
        self.again = [id for id in self.again if id <= behind or (cut and id > last_id)]
        if not cut:
            self._reached_end = True
        elif last_id > self.ahead:
            self.ahead = last_id


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


async def poll_single(context: PollContext, cursor: PolledCursor) -> None:
    """Poll one cursor with its own inputs."""
    await _read(context, [cursor], _own_scope(cursor))


async def poll_one_page(context: PollContext, cursor: PolledCursor) -> None:
    """Read one page where the cursor itself says, without any change signal."""
    reply = await cursor.send(context, replace(cursor.call(context), keep_raw=True))
    page = RawPage(reply.body, [cursor.members])
    counted = cursor.row_count
    if counted is not None:
        counted.add_page(page, None)
    # Fewer rows than are counted: more follow, or at the end of the list some are missing.
    cut = may_be_cut(page.length) or (page.length > 0 and counted is not None and counted.falls_short)
    for chunk in page.chunks(None, cut, members=cursor.members):
        await cursor.process(context, chunk)
    await cursor.wait_for_commits()
    cursor.unfinished = cursor.more
    if not cursor.more:
        late_rows.wants_late_check(cursor, cursor.began)


async def _read(context: PollContext, group: list[PolledCursor], scope: Mapping[str, str]) -> list[PolledCursor]:
    """Read page by page; return the cursors that must be polled separately after all."""
    active, separate = group, list[PolledCursor]()
    reading, known = _reading(group), all(FROM_ID in cursor.call(context).query for cursor in group)
    # Reading history at once costs no more than in several polls, during which new rows would be skipped with it.
    left = None if any(cursor.skips_history for cursor in group) else context.settings.credits_per_poll
    while (behind := reading.behind) is not None:
        if left == 0:
            _stop(active, reading)
            return separate
        left = None if left is None else left - 1
        call = _call(context, active, scope, behind if known else None)
        page = RawPage((await active[0].send(context, call)).body, [cursor.members for cursor in active])
        cut = _is_cut(page, active, scope, call, reading)
        if cut and not known:
            # A first poll must see the end of its own list to know where its history ends.
            separate = [
                cursor for cursor in active if cursor.position is None and _account_filter(cursor, scope) is not None
            ]
            active = [cursor for cursor in active if cursor not in separate]
        for cursor in active:
            for chunk in page.chunks(_account_filter(cursor, scope), cut, behind, members=cursor.members):
                await cursor.process(context, chunk)
        for cursor in active:
            await cursor.wait_for_commits()
        if not active:
            return separate
        known = True
        reading.add_page(behind, page.last_id, cut=cut)
        if reading.behind is None:
            reading.read_again(_posted_meanwhile(active))
    for cursor in active:
        cursor.again_behind = None
    await _look_for_late_rows(context, active, scope)
    return separate


def _reading(group: Sequence[PolledCursor]) -> Reading:
    """Return what the group has to read: what lies ahead of each, and the rows that some of them read again."""
    places = [(cursor, cursor.place) for cursor in group]
    again = {
        id
        for cursor, place in places
        if cursor.reads_again
        for id in place.waiting
        if cursor.again_behind is None or id > cursor.again_behind
    }
    return Reading(min(place.after for _, place in places), again)


def _posted_meanwhile(group: Sequence[PolledCursor]) -> set[int]:
    """Return the rows to read again because a row that went pending has hidden that another one was posted."""
    surprised = [cursor for cursor in group if not cursor.reads_again and cursor.waits_in_vain]
    for cursor in surprised:
        cursor.reads_again = True
    return {id for cursor in surprised for id in cursor.place.waiting}


def _stop(group: Sequence[PolledCursor], reading: Reading) -> None:
    """Let the next poll go on where this one stops."""
    for cursor in group:
        cursor.unfinished = True
        cursor.again_behind = reading.again[0] - 1 if cursor.reads_again and reading.again else None


async def _look_for_late_rows(context: PollContext, group: Sequence[PolledCursor], scope: Mapping[str, str]) -> None:
    """Look once for rows that are counted and were not read; one call serves all."""
    now = context.clock.utcnow()
    missing = [cursor for cursor in group if late_rows.wants_late_check(cursor, now)]
    if not missing:
        return
    behind = min(late_rows.starting_point(cursor) for cursor in missing)
    reply = await missing[0].send(context, _call(context, missing, scope, behind))
    page = RawPage(reply.body, [cursor.members for cursor in missing])
    for cursor in missing:
        own, passed, late_count = late_rows.starting_point(cursor), cursor.place.after, 0
        for chunk in page.chunks(_account_filter(cursor, scope), False, until=passed, members=cursor.members):
            rows = late_rows.only_newer(cursor, chunk) if late_rows.is_wide(cursor) else chunk
            late_count += await cursor.process_late(context, rows, own)
        await cursor.wait_for_commits()
        late_rows.record_late_check(cursor, page, late_count)


def _is_cut(
    page: RawPage, group: Sequence[PolledCursor], scope: Mapping[str, str], call: Call, reading: Reading
) -> bool:
    """Count the page's rows; return whether more must follow.

    A list by date cannot be compared with the count. Where nothing is counted, only an empty page is the end.
    """
    counts = [cursor.row_count for cursor in group if cursor.row_count is not None]
    for cursor in group:
        if cursor.row_count is not None:
            cursor.row_count.add_page(page, _account_filter(cursor, scope))
    if page.last_id is None:
        return False
    if page.last_id < reading.ahead or FROM_DATE in call.query or all(count.expected is None for count in counts):
        return True
    return may_be_cut(page.length) or any(count.expects_more for count in counts)


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
