"""One paid list of bank rows for all triggers on the same bank connection.

The list is asked from the lowest id that any of them still needs, and each gets the rows of its own account. Which
rows are new is each trigger's own business, by its own cursor; a row that it has dealt with before is nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from connector.core.client import Call
from connector.core.polls.page import looks_cut
from connector.durable.poller.bank_rows import ACCOUNT, BANK_CONNECTION, FROM_DATE, FROM_ID
from connector.durable.poller.member import Member
from connector.durable.poller.pages import Page
from connector.durable.poller.work import PollWork
from connector.runtime.poll import MAX_BASELINE_PAGES

POSITION = frozenset({BANK_CONNECTION, ACCOUNT, FROM_ID, FROM_DATE})


async def poll_shared(work: PollWork, members: Sequence[Member], bank_connection: str | None) -> None:
    """Polls members of one bank connection with as few calls as can be."""
    for series in _series(work, members):
        scope = _scope(series, bank_connection)
        alone = await _read(work, series, scope)
        for member in alone:
            await poll_alone(work, member)


def _series(work: PollWork, members: Sequence[Member]) -> Iterator[list[Member]]:
    """Who can be served together: not those who stopped in the middle, nor first polls with later ones.

    A first poll may read all that there ever was; those who only want what is new shall not pay for that each time.
    """
    together: dict[Any, list[Member]] = {}
    for member in members:
        begun = member.stored.polled_at is None and member.cursor is not None
        if begun or member.stored.sign.get("unfinished"):
            yield [member]
            continue
        call = member.call(work)
        rest = tuple(sorted((name, str(value)) for name, value in call.query.items() if name not in POSITION))
        together.setdefault((call.method, call.path, rest, FROM_ID in call.query), []).append(member)
    yield from together.values()


def _own_scope(member: Member) -> dict[str, str]:
    return {name: str(member.inputs[name]) for name in (BANK_CONNECTION, ACCOUNT) if name in member.inputs}


def _scope(series: Sequence[Member], bank_connection: str | None) -> dict[str, str]:
    """What to ask for: the one account that all want, else the whole bank connection."""
    scopes = [_own_scope(member) for member in series]
    if all(scope == scopes[0] for scope in scopes) or bank_connection is None:
        return scopes[0]
    accounts = {scope.get(ACCOUNT) for scope in scopes}
    if len(accounts) == 1 and None not in accounts:
        return {ACCOUNT: str(accounts.pop())}
    return {BANK_CONNECTION: bank_connection}


async def poll_alone(work: PollWork, member: Member, pages: int | None = None) -> None:
    """Polls one member by its own inputs, at most so many pages."""
    await _read(work, [member], _own_scope(member), pages)


async def _read(
    work: PollWork, members: list[Member], scope: Mapping[str, str], pages: int | None = None
) -> list[Member]:
    """Reads page after page. Gives back the members that must be read alone after all."""
    taking, alone, position = members, list[Member](), None
    # History costs the same in one go as in many, and what arrives meanwhile would be passed over with it.
    history = any(member.passes_history for member in members)
    for _ in range(pages or (MAX_BASELINE_PAGES if history else work.settings.credits_per_poll)):
        call = _call(work, taking, scope, position)
        lead = taking[0]
        page = Page((await lead.ask(work, call)).body)
        short = _falls_short(page, taking, scope, call)  # counts each page, long or short
        cut = short or looks_cut(page.length)
        if cut and position is None:
            # Before the first poll is over, a trigger must see its own list's end to know where its history ends.
            alone = [one for one in taking if one.cursor is None and _account_in(one, scope) is not None]
            taking = [one for one in taking if one not in alone]
        for member in taking:
            for part in page.parts(_account_in(member, scope), cut):
                await member.take(work, part)
        for member in taking:
            await member.settle()
        if not cut or not taking or page.last is None or (position is not None and page.last <= position):
            return alone
        position = page.last
    for member in taking:
        member.unfinished = True
    return alone


def _falls_short(page: Page, members: Sequence[Member], scope: Mapping[str, str], call: Call) -> bool:
    """Whether more rows must follow, by the count of the accounts list. A list by date is not what it counts."""
    short = False
    for member in members:
        if member.rows is not None:
            member.rows.take(page, _account_in(member, scope))
            short = short or member.rows.is_short
    return short and page.length > 0 and FROM_DATE not in call.query


def _account_in(member: Member, scope: Mapping[str, str]) -> str | None:
    """The account whose rows the member wants, where the page may hold others too."""
    account = member.inputs.get(ACCOUNT)
    return None if account is None or ACCOUNT in scope else str(account)


def _call(work: PollWork, members: Sequence[Member], scope: Mapping[str, str], position: int | None) -> Call:
    calls = [member.call(work) for member in members]
    query = {name: value for name, value in calls[0].query.items() if name not in POSITION} | dict(scope)
    if position is not None:
        query[FROM_ID] = str(position)
    elif all(FROM_ID in call.query for call in calls):
        query[FROM_ID] = str(min(int(str(call.query[FROM_ID])) for call in calls))
    elif all(FROM_DATE in call.query for call in calls):
        query[FROM_DATE] = min(str(call.query[FROM_DATE]) for call in calls)
    return replace(calls[0], query=query, keep_raw=True)
