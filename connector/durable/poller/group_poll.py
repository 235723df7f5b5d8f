"""Polls a group of cursors whose requests are equal with one request."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from connector.core.polls.page import Page
from connector.durable.poller.context import PollContext
from connector.durable.poller.pages import Chunk
from connector.durable.poller.polled_cursor import PolledCursor
from connector.durable.poller.watched_rows import watched_rows
from connector.runtime.poll import page_looks_cut, read_items
from connector.runtime.watched import watched
from connector.store import usage


async def poll_group(context: PollContext, group: list[PolledCursor], pages: int | None = None) -> None:
    """Fetch each page once for all cursors that need it, as long as lists were cut off."""
    first = group[0]
    if first.trigger.request is None:
        balance = await _known_balance(context)
        for cursor in group:
            await cursor.process(context, Chunk(Page([balance])))
            await cursor.wait_for_commits()
        return
    fetched, waiting = 0, list(group)
    while waiting:
        before = [cursor.position for cursor in waiting]
        for equal in _by_request(context, waiting):
            await _fetch_page(context, equal)
        fetched += 1
        # Without progress, the list is not paged by position.
        waiting = [one for one, place in zip(waiting, before, strict=True) if one.more and one.position != place]
        if fetched >= (pages or _bound(context, first)):
            for cursor in waiting:
                cursor.unfinished = True
            return


def _by_request(context: PollContext, group: list[PolledCursor]) -> list[list[PolledCursor]]:
    """Return the cursors by the request that each needs next."""
    groups: dict[Any, list[PolledCursor]] = defaultdict(list)
    for cursor in group:
        groups[request_key(context, cursor)].append(cursor)
    return list(groups.values())


def request_key(context: PollContext, cursor: PolledCursor) -> Any:
    """Return what is equal for cursors whose requests are."""
    request = cursor.trigger.request
    if request is None:
        return None
    if cursor.trigger.watches_all(cursor.inputs):
        return (request.method, request.path)
    call = cursor.call(context)
    return (call.method, call.path, repr(sorted(call.query.items())))


def _bound(context: PollContext, cursor: PolledCursor) -> int:
    return context.settings.credits_per_poll if cursor.trigger.cost.credits else context.settings.pages_per_poll


async def _fetch_page(context: PollContext, group: list[PolledCursor]) -> None:
    first = group[0]
    if first.trigger.watches_all(first.inputs):
        rows = await watched_rows(context, group)
        for cursor in group:
            cursor.watched = watched(cursor.trigger, rows)
    else:
        reply = await first.send(context, first.call(context))
        rows = read_items(first.trigger, reply)
    for cursor in group:
        await cursor.process(context, Chunk(Page(rows, page_looks_cut(cursor.trigger, len(rows), cursor.position))))
        await cursor.wait_for_commits()


async def _known_balance(context: PollContext) -> dict[str, Any]:
    """Return the last reported balance: that of this process, or the stored one of any other."""
    fingerprint = context.session.credential.fingerprint
    reported = await context.read(lambda connection: usage.last_balance(connection, fingerprint))
    told = context.session.state.credits.balance
    balance = told if told is not None else reported[0] if reported else None
    reserved = await context.read(lambda connection: usage.reservations(connection, fingerprint))
    return {"balance": balance, "available": None if balance is None else balance - sum(reserved.values(), Decimal(0))}
