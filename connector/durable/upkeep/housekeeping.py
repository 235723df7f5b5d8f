"""Chains new entries of the audit log, and deletes old finished rows."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector.durable.context import JobContext
from connector.durable.waiting_runs import end_spent_callbacks
from connector.durable.work import Outcome, Work
from connector.store.database import leases
from connector.store.runs import forms, reads, runs, unverified
from connector.store.triggers import deliveries, due_work, events, items, subscriptions, timeline
from connector.store.triggers.due_work import Claim
from connector.store.triggers.overdue import notify_listeners
from connector.store.trust import audit_chain
from connector.store.trust.audit_chain import ChainMoved
from connector.store.trust.rights_register import Finding

SEAL_SECONDS = 1.0


class SealWork(Work):
    """Chains what was committed since the last time. The heads of the chains are its fence."""

    name = "sealing"

    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim the only piece, when a second has passed and there are new entries."""
        context, moment = self.context, self.context.clock.monotonic()
        if moment < context.next_sealing:
            return ()
        context.next_sealing = moment + SEAL_SECONDS
        return (
            (Claim(self.name, "", owner, 0, 0),) if await context.batched_reads.read(audit_chain.has_unsealed) else ()
        )

    async def do(self, piece: Claim) -> Outcome:
        """Chain all new entries."""
        return Outcome(await seal_all(self.context), self.context.now() + timedelta(seconds=SEAL_SECONDS))


async def seal_all(context: JobContext) -> int:
    """Chain all committed entries, unless another host does; return how many."""
    total = 0
    while await context.read(audit_chain.has_unsealed):
        sealed = 0
        with contextlib.suppress(ChainMoved):
            sealed = await context.write(audit_chain.seal)
        if not sealed:
            break
        total += sealed
    return total


DAY = timedelta(days=1)
CHECK_SECONDS = 3600.0
"""How often a host asks the store whether it is due."""
ITEMS_KEPT = timedelta(days=90)
"""Deliveries have their own copies of items, and cursors prevent items from being found again."""
TIMELINE_KEPT = timedelta(days=30)
RECORDS_KEPT = timedelta(days=400)
"""A fiscal year and some weeks: events and deliveries. How long runs are kept, their workspace says."""


class HousekeepingWork(Work):
    """Deletes old rows, on one host a day. Its timer is its fence."""

    name = "housekeeping"

    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim the only piece, when it is time to ask the store."""
        is_time = self.context.clock.monotonic() >= self.context.next_housekeeping
        return (Claim(self.name, "", owner, 0, 0),) if is_time else ()

    async def do(self, piece: Claim) -> Outcome:
        """Delete old rows if a day has passed."""
        now = self.context.now()
        return Outcome(await clean_up_due(self.context, now), now + timedelta(seconds=CHECK_SECONDS))


async def clean_up_due(context: JobContext, now: datetime) -> int:
    """Delete old rows once a day, on one host; return how many."""
    moment = context.clock.monotonic()
    if moment < context.next_housekeeping:
        return 0
    context.next_housekeeping = moment + CHECK_SECONDS
    await note_unverified(context)
    due = await context.write(lambda connection: _is_due(connection, now))
    return await context.write(lambda connection: _delete_old(connection, now)) if due else 0


async def note_unverified(context: JobContext) -> list[Finding]:
    """Return what grants something and does not verify, and remember since when that is known."""
    findings, known = await context.read(lambda store: (unverified.all_findings(store), unverified.noticed(store)))
    if {finding.subject[: unverified.MAX_SUBJECT] for finding in findings} != set(known):
        now = context.now()
        await context.write(lambda store: unverified.note(store, findings, now))
    return findings


def _is_due(connection: Connection, now: datetime) -> bool:
    notify_listeners(connection, now)  # hosts of the version before create subscriptions without telling
    return leases.claim_timer(connection, "housekeeping", DAY, now)


def _delete_old(connection: Connection, now: datetime) -> int:
    before = now - RECORDS_KEPT
    records = (events.delete_old, deliveries.delete_old, subscriptions.delete_old_keys)
    deleted = runs.delete_old(connection, before, now) + end_spent_callbacks(connection, now)
    deleted += reads.delete_old(connection, now) + due_work.delete_sent(connection)
    deleted += forms.delete_old_answers(connection, now)
    deleted += items.delete_old(connection, now - ITEMS_KEPT) + forms.delete_old_forms(connection, now - ITEMS_KEPT)
    deleted += timeline.delete_old(connection, now - TIMELINE_KEPT)
    return deleted + sum(delete(connection, before) for delete in records)
