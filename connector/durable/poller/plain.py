"""Polls of triggers whose request is the same are one request, and each trigger looks at its answer for itself."""

from __future__ import annotations

from typing import Any

from connector.core.polls.page import Page
from connector.durable.poller.member import Member
from connector.durable.poller.work import PollWork
from connector.runtime.poll import page_looks_cut, read_items
from connector.store import usage


async def poll_together(work: PollWork, members: list[Member], pages: int | None = None) -> None:
    """Asks once for all members, whose requests are equal, then goes on for each whose list looks cut off."""
    first = members[0]
    if first.trigger.request is None:
        known = await _credits(work)
        for member in members:
            await member.take(work, Page([known]))
            await member.settle()
        return
    await _ask(work, members)
    for member in members:
        await _read_on(work, member, pages)


async def _ask(work: PollWork, members: list[Member]) -> None:
    first = members[0]
    reply = await first.ask(work, first.call(work))
    rows = read_items(first.trigger, reply)
    for member in members:
        await member.take(work, Page(rows, page_looks_cut(member.trigger, len(rows))))
        await member.settle()


async def _read_on(work: PollWork, member: Member, pages: int | None) -> None:
    bound = work.settings.credits_per_poll if member.trigger.cost.credits else work.settings.pages_per_poll
    asked = 1
    while member.more:
        if asked >= (pages or bound):
            member.unfinished = True
            return
        before = member.cursor
        await _ask(work, [member])
        if member.cursor == before:  # a list that does not end by itself brings nothing new either
            return
        asked += 1


async def _credits(work: PollWork) -> dict[str, Any]:
    """The balance as far as it is known: by this process, or from what the service last told any other."""
    credits = work.session.state.credits
    if credits.balance is not None:
        return {"balance": credits.balance, "available": credits.available}
    fingerprint = work.session.credential.fingerprint
    told = await work.read(lambda connection: usage.last_balance(connection, fingerprint))
    return {"balance": told[0] if told else None, "available": told[0] if told else None}
