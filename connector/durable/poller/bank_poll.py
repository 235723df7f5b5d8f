"""Polls paid lists of bank rows, grouped by bank connection, and only when free change signals call for it."""

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
from connector.durable.poller import late_rows, schedule
from connector.durable.poller.change_signals import (
    AccountsSnapshot,
    fetch_snapshot,
    prepare_poll,
    reason_to_pay,
    sign_after_poll,
)
from connector.durable.poller.context import PollContext
from connector.durable.poller.pages import ACCOUNT, BANK_CONNECTION, reads_bank_rows
from connector.durable.poller.polled_cursor import PolledCursor
from connector.durable.poller.run_poll import lease_name, load_cursors, run_poll
from connector.durable.poller.shared_poll import poll_shared
from connector.durable.work import hold_leases
from connector.store.triggers import cursors
from connector.store.triggers.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection

EMPTY_SNAPSHOT = AccountsSnapshot()


@dataclass(frozen=True, slots=True)
class RowSource:
    """The bank connection that rows belong to, or an account whose bank connection is unknown."""

    bank_connection: str | None
    account: str | None = None


async def poll_bank_rows(job: JobContext, context: PollContext, credential_id: str, due: Sequence[str]) -> int:
    """Poll the due cursors, together with all others of the same bank connection; return how many were polled."""
    fingerprint = context.session.credential.fingerprint
    scheduled = await context.read(lambda connection: cursors.scheduled(connection, fingerprint))
    shared = [stored for stored in scheduled if _reads_bank_rows(job, stored)]
    await _learn_bank_connections(job, context, credential_id, shared)
    sources: dict[RowSource, list[StoredCursor]] = defaultdict(list)
    for stored in shared:
        sources[_source_of(job, credential_id, stored)].append(stored)
    names = set(due)
    polled = await asyncio.gather(
        *(
            _poll_source(
                job,
                context,
                credential_id,
                source,
                all_cursors,
                [cursor for cursor in all_cursors if cursor.name in names],
            )
            for source, all_cursors in sources.items()
            if any(cursor.name in names for cursor in all_cursors)
        )
    )
    return sum(polled)


def _reads_bank_rows(job: JobContext, stored: StoredCursor) -> bool:
    try:
        return reads_bank_rows(job.connector.trigger(stored.trigger))
    except KontorError:
        return False


def _source_of(job: JobContext, credential_id: str, stored: StoredCursor) -> RowSource:
    bank_connection, account = stored.inputs.get(BANK_CONNECTION), stored.inputs.get(ACCOUNT)
    if bank_connection is None and account is not None:
        bank_connection = job.bank_accounts.bank_connection_of(credential_id, str(account))
    return RowSource(None, str(account)) if bank_connection is None else RowSource(str(bank_connection))


async def _learn_bank_connections(
    job: JobContext, context: PollContext, credential_id: str, shared: Sequence[StoredCursor]
) -> None:
    """For cursors that name only an account: find out whether it belongs to a bank connection that others name."""
    known = job.bank_accounts
    accounts = {
        str(cursor.inputs[ACCOUNT])
        for cursor in shared
        if ACCOUNT in cursor.inputs and BANK_CONNECTION not in cursor.inputs
    }
    if all(known.bank_connection_of(credential_id, account) for account in accounts):
        return
    for bank_connection in {
        str(cursor.inputs[BANK_CONNECTION]) for cursor in shared if BANK_CONNECTION in cursor.inputs
    }:
        if not known.is_learned(credential_id, bank_connection):
            snapshot, _ = await _fetch_snapshot(context, bank_connection)
            known.learn(credential_id, bank_connection, snapshot.digests)


async def _poll_source(
    job: JobContext,
    context: PollContext,
    credential_id: str,
    source: RowSource,
    all_cursors: Sequence[StoredCursor],
    due: Sequence[StoredCursor],
) -> int:
    """Fetch the free snapshot, then poll the paid list if there is a reason; all under the cursors' leases."""
    async with hold_leases(context, [lease_name(cursor.name) for cursor in due]) as held:
        group = await load_cursors(context, [cursor.name for cursor in due], held)
        if not group:
            return 0  # another host, or an earlier run of this job, is polling them
        now = context.clock.utcnow()
        snapshot, problem = await _fetch_snapshot(context, source.bank_connection)
        if source.bank_connection is not None and snapshot.digests:
            job.bank_accounts.learn(credential_id, source.bank_connection, snapshot.digests)
        if not any(_reason(context, cursor.stored, snapshot, now) for cursor in group):
            await context.write(_postpone_change(context, [cursor.stored for cursor in group], snapshot, problem, now))
            return len(group)
        # A paid poll serves all cursors of this source, except those that wait after a failure.
        others = [cursor.name for cursor in all_cursors if cursor not in due and not _failed(cursor)]
        async with hold_leases(context, [lease_name(name) for name in others]) as also_held:
            group += await load_cursors(context, others, also_held)
            await _poll_paid(context, group, source, snapshot)
    return len(group)


async def _poll_paid(
    context: PollContext, group: Sequence[PolledCursor], source: RowSource, snapshot: AccountsSnapshot
) -> None:
    for cursor in group:
        prepare_poll(cursor, snapshot, context.settings)
    poll = partial(poll_shared, context, group, source.bank_connection)
    await run_poll(context, group, poll, lambda cursor: sign_after_poll(cursor, snapshot))


async def _fetch_snapshot(
    context: PollContext, bank_connection: str | None
) -> tuple[AccountsSnapshot, KontorError | None]:
    try:
        return await fetch_snapshot(context.session, bank_connection), None
    except KontorError as error:
        return EMPTY_SNAPSHOT, error


def _reason(context: PollContext, stored: StoredCursor, snapshot: AccountsSnapshot, now: datetime) -> str | None:
    return reason_to_pay(stored, context.connector.trigger(stored.trigger), snapshot, now, context.settings)


def _postpone_change(
    context: PollContext,
    due: Sequence[StoredCursor],
    snapshot: AccountsSnapshot,
    problem: KontorError | None,
    now: datetime,
) -> Any:
    """Return the change that schedules the next check of cursors without a reason to poll."""

    def postpone(connection: Connection) -> None:
        for stored in due:
            error = problem or late_rows.missing_error(stored) or _silence_warning(context, stored, snapshot, now)
            trouble = schedule.error_record(error, stored.trouble, now) if error else None
            sign = late_rows.after_check(stored)
            cursors.postpone(connection, stored, _next_check(context, stored, now), now, trouble, sign)

    return postpone


def _failed(stored: StoredCursor) -> bool:
    """Whether the last poll failed; one that found rows missing did not."""
    return stored.trouble is not None and late_rows.missing_error(stored) is None


def _next_check(context: PollContext, stored: StoredCursor, now: datetime) -> datetime:
    """Return the time of the next check: the usual interval, but not later than the list becomes stale."""
    usual = schedule.next_poll(context.connector.trigger(stored.trigger), now)
    bound = (stored.polled_at or now) + timedelta(seconds=context.settings.stale_seconds)
    return min(usual, bound) if bound > now else usual


def _silence_warning(
    context: PollContext, stored: StoredCursor, snapshot: AccountsSnapshot, now: datetime
) -> KontorError | None:
    """Return an error when the accounts have not changed for long: the bank connection may be broken."""
    last = snapshot.last_change(stored.inputs.get(ACCOUNT))
    if last is None or (now - last).total_seconds() < context.settings.silent_seconds:
        return None
    hours = int((now - last).total_seconds() // 3600)
    return KontorError(say("bank_silent", hours=hours), remedy=say("bank_silent_remedy"), outcome="not_sent")
