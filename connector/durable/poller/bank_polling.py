"""Polls of paid bank rows: by bank connection, after a free look at its accounts, and only with a reason to pay."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.durable.context import JobContext
from connector.durable.poller import pacing
from connector.durable.poller.bank_rows import ACCOUNT, BANK_CONNECTION, reads_bank_rows
from connector.durable.poller.holding import holding
from connector.durable.poller.member import Member
from connector.durable.poller.sharing import poll_shared
from connector.durable.poller.signs import Look, expect, look, reason_to_pay, sign_of
from connector.durable.poller.tending import lease_name, load, tended
from connector.durable.poller.work import PollWork
from connector.store import cursors
from connector.store.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection

NOTHING_SEEN = Look()


@dataclass(frozen=True, slots=True)
class Place:
    """Where rows are: behind a bank connection, or in an account of which no more is known."""

    bank_connection: str | None
    account: str | None = None


async def poll_bank_rows(context: JobContext, work: PollWork, credential_id: str, due: Sequence[str]) -> int:
    """Serves the due cursors, and with them all others of the same bank connection. Returns how many were served."""
    fingerprint = work.session.credential.fingerprint
    watched = await work.read(lambda connection: cursors.scheduled(connection, fingerprint))
    shared = [stored for stored in watched if _reads_bank_rows(context, stored)]
    await _learn(context, work, credential_id, shared)
    places: dict[Place, list[StoredCursor]] = defaultdict(list)
    for stored in shared:
        places[_place(context, credential_id, stored)].append(stored)
    names = set(due)
    served = await asyncio.gather(
        *(
            _poll_place(context, work, credential_id, place, all_there, [one for one in all_there if one.name in names])
            for place, all_there in places.items()
            if any(one.name in names for one in all_there)
        )
    )
    return sum(served)


def _reads_bank_rows(context: JobContext, stored: StoredCursor) -> bool:
    try:
        return reads_bank_rows(context.connector.trigger(stored.trigger))
    except KontorError:
        return False


def _place(context: JobContext, credential_id: str, stored: StoredCursor) -> Place:
    bank_connection, account = stored.inputs.get(BANK_CONNECTION), stored.inputs.get(ACCOUNT)
    if bank_connection is None and account is not None:
        bank_connection = context.bank_accounts.bank_connection_of(credential_id, str(account))
    return Place(None, str(account)) if bank_connection is None else Place(str(bank_connection))


async def _learn(context: JobContext, work: PollWork, credential_id: str, shared: Sequence[StoredCursor]) -> None:
    """Where a cursor names only an account, it may be behind a bank connection that another one names."""
    known = context.bank_accounts
    accounts = {
        str(one.inputs[ACCOUNT]) for one in shared if ACCOUNT in one.inputs and BANK_CONNECTION not in one.inputs
    }
    if all(known.bank_connection_of(credential_id, account) for account in accounts):
        return
    for bank_connection in {str(one.inputs[BANK_CONNECTION]) for one in shared if BANK_CONNECTION in one.inputs}:
        if not known.was_asked(credential_id, bank_connection):
            seen, _ = await _look(work, bank_connection)
            known.learn(credential_id, bank_connection, seen.marks)


async def _poll_place(
    context: JobContext,
    work: PollWork,
    credential_id: str,
    place: Place,
    all_there: Sequence[StoredCursor],
    due: Sequence[StoredCursor],
) -> int:
    """Looks for free, then pays if there is a reason to. Under leases from the start: one look at a time, too."""
    async with holding(work, [lease_name(one.name) for one in due]) as held:
        members = await load(work, [one.name for one in due], held)
        if not members:
            return 0  # another host, or an earlier round, is at it
        now = work.clock.utcnow()
        seen, problem = await _look(work, place.bank_connection)
        if place.bank_connection is not None and seen.marks:
            context.bank_accounts.learn(credential_id, place.bank_connection, seen.marks)
        if not any(_reason(work, member.stored, seen, now) for member in members):
            await work.write(_waiting(work, [member.stored for member in members], seen, problem, now))
            return len(members)
        # A poll that is made serves everybody here, except those who just failed and shall wait.
        others = [one.name for one in all_there if one not in due and one.trouble is None]
        async with holding(work, [lease_name(name) for name in others]) as also_held:
            members += await load(work, others, also_held)
            await _pay(work, members, place, seen)
    return len(members)


async def _pay(work: PollWork, members: Sequence[Member], place: Place, seen: Look) -> None:
    for member in members:
        expect(member, seen)
    poll = partial(poll_shared, work, members, place.bank_connection)
    await tended(work, members, poll, lambda member: sign_of(member, seen))


async def _look(work: PollWork, bank_connection: str | None) -> tuple[Look, KontorError | None]:
    try:
        return await look(work.session, bank_connection), None
    except KontorError as error:
        return NOTHING_SEEN, error


def _reason(work: PollWork, stored: StoredCursor, seen: Look, now: datetime) -> str | None:
    return reason_to_pay(stored, seen.mark(stored.inputs.get(ACCOUNT)), now, work.settings)


def _waiting(
    work: PollWork, due: Sequence[StoredCursor], seen: Look, problem: KontorError | None, now: datetime
) -> Any:
    """The change by which cursors without a reason to pay wait for the next look."""

    def wait(connection: Connection) -> None:
        for stored in due:
            error = problem or _silence(work, stored, seen, now)
            trouble = pacing.trouble_of(error, stored.trouble, now) if error else None
            cursors.postpone(connection, stored.name, _next_look(work, stored, now), now, trouble)

    return wait


def _next_look(work: PollWork, stored: StoredCursor, now: datetime) -> datetime:
    """The usual time from now; not later than the moment at which the list must be asked for anyway."""
    usual = pacing.next_poll(work.connector.trigger(stored.trigger), now)
    bound = (stored.polled_at or now) + timedelta(seconds=work.settings.stale_seconds)
    return min(usual, bound) if bound > now else usual


def _silence(work: PollWork, stored: StoredCursor, seen: Look, now: datetime) -> KontorError | None:
    """A bank connection that has brought nothing for long is shown as trouble: it may have died without a word."""
    last = seen.last_change(stored.inputs.get(ACCOUNT))
    if last is None or (now - last).total_seconds() < work.settings.silent_seconds:
        return None
    hours = int((now - last).total_seconds() // 3600)
    return KontorError(say("bank_silent", hours=hours), remedy=say("bank_silent_remedy"), outcome="not_sent")
