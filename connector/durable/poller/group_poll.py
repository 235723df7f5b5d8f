"""Polls a group of cursors whose requests are equal with one request."""

from __future__ import annotations

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
    """Fetch the first page once for the whole group, then further pages for each cursor whose list was cut off."""
    first = group[0]
    if first.trigger.request is None:
        balance = await _known_balance(context)
        for cursor in group:
            await cursor.process(context, Chunk(Page([balance])))
            await cursor.wait_for_commits()
        return
    await _fetch_page(context, group)
    for cursor in group:
        await _read_further_pages(context, cursor, pages)


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


async def _read_further_pages(context: PollContext, cursor: PolledCursor, pages: int | None) -> None:
    bound = context.settings.credits_per_poll if cursor.trigger.cost.credits else context.settings.pages_per_poll
    fetched = 1
    while cursor.more:
        if fetched >= (pages or bound):
            cursor.unfinished = True
            return
        before = cursor.position
        await _fetch_page(context, [cursor])
        if cursor.position == before:  # no progress: the list is not paged by position
            return
        fetched += 1


async def _known_balance(context: PollContext) -> dict[str, Any]:
    """Return the last reported balance: that of this process, or the stored one of any other."""
    credits = context.session.state.credits
    if credits.balance is not None:
        return {"balance": credits.balance, "available": credits.available}
    fingerprint = context.session.credential.fingerprint
    reported = await context.read(lambda connection: usage.last_balance(connection, fingerprint))
    return {"balance": reported[0] if reported else None, "available": reported[0] if reported else None}
