"""Decides received events of a credential: fetches what confirms them in few requests, then fires."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector.core import service_events
from connector.core.errors import KontorError
from connector.core.payment_states import payment_moves_forward
from connector.durable.context import JobContext
from connector.durable.held_leases import hold_lease
from connector.durable.inbox.bank_connection_check import check_bank_connections
from connector.durable.inbox.confirm import fetch_payments
from connector.durable.inbox.decide import EventDecider, Facts
from connector.durable.inbox.envelope import read_envelope
from connector.durable.inbox.payment_facts import PaymentOrAbsence
from connector.durable.overdue import tell_overdue
from connector.durable.poller.change_signals import nudge
from connector.durable.work import KeyedWork, run_due
from connector.store import due_work, events, leases, payment_states
from connector.store.events import Event
from connector.store.leases import Lease

BATCH_SIZE = 500
UNREACHABLE_SECONDS = 30.0
MAX_POSTPONED = timedelta(minutes=15)
"""The longest wait for a next attempt, whatever the service says."""


class DecideWork(KeyedWork):
    """Decisions about events; a key is a credential's id."""

    name = due_work.EVENTS
    most = 16

    async def work(self, key: str) -> int:
        """Decide the events that are due; return how many were decided."""
        context, now = self.context, self.context.now()
        waiting = await context.read(lambda connection: events.due_of(connection, key, now, BATCH_SIZE))
        return await _decide(context, key, waiting, now) if waiting else 0

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when the first of the credential's undecided events is due."""
        return events.next_of(connection, key)


async def decide_due(context: JobContext, now: datetime) -> int:
    """Decide all that is due, told or not; return how many events were decided."""
    await context.write(lambda connection: tell_overdue(connection, now, now))
    return await run_due(DecideWork(context))


def lease_name(credential_id: str) -> str:
    """Return the name of the lease that allows one host at a time to decide a credential's events."""
    return f"events:{credential_id}"


async def _decide(context: JobContext, credential_id: str, waiting: Sequence[Event], now: datetime) -> int:
    async with hold_lease(context, lease_name(credential_id)) as lease:
        if lease is None:
            return 0
        try:
            facts = await _fetch_facts(context, credential_id, waiting)
        except KontorError as error:  # the API cannot be reached now: the events are postponed
            wanted = max(error.retry_at or now, now + timedelta(seconds=UNREACHABLE_SECONDS))
            later = min(wanted, now + MAX_POSTPONED)
            ids = [event.id for event in waiting]
            await context.write(lambda connection: events.postpone(connection, ids, later, tried=False))
            return 0
        return await _commit_decisions(context, credential_id, waiting, facts, lease, now)


async def _fetch_facts(context: JobContext, credential_id: str, waiting: Sequence[Event]) -> Facts:
    """Fetch what is needed to confirm the events. Statuses that are not news need no request."""
    claims: dict[str, list[str]] = defaultdict(list)
    bank_connections: dict[str, None] = {}
    refreshed: set[str] = set()
    gone: set[str] = set()
    for event in waiting:
        try:
            envelope = read_envelope(event.body)
        except ValueError:
            continue  # decided without a request
        about = service_events.about(envelope.event)
        if about == service_events.PAYMENT and envelope.payment_id and envelope.status:
            claims[envelope.payment_id].append(envelope.status)
        elif about == service_events.BANK_CONNECTION and envelope.bank_connection_id:
            bank_connections[envelope.bank_connection_id] = None
            if service_events.brings_news(envelope.event):
                refreshed.add(envelope.bank_connection_id)
            elif service_events.says_gone(envelope.event):
                gone.add(envelope.bank_connection_id)
    known = await context.read(lambda connection: payment_states.statuses(connection, credential_id, list(claims)))
    news = {
        id: [status for status in statuses if payment_moves_forward(known.get(id), status)]
        for id, statuses in claims.items()
    }
    asked = {id: statuses for id, statuses in news.items() if statuses}
    if not asked and not bank_connections:
        return Facts()
    payments = await _check_payments(context, credential_id, asked) if asked else {}
    if not bank_connections:
        return Facts(payments)
    there = await check_bank_connections(context, credential_id, bank_connections, refreshed=refreshed, gone=gone)
    return Facts(payments, there)


async def _check_payments(
    context: JobContext, credential_id: str, claims: Mapping[str, Collection[str]]
) -> dict[str, PaymentOrAbsence]:
    """Return what the API shows of these payments, without those for which no request is left now."""
    budget, clock = context.confirmations, context.clock
    most = budget.left(credential_id, clock.monotonic())
    found = await fetch_payments(await context.session(credential_id), claims, most)
    budget.charge(credential_id, found.wasted, clock.monotonic())
    return found.payments


async def _commit_decisions(
    context: JobContext, credential_id: str, waiting: Sequence[Event], facts: Facts, lease: Lease, now: datetime
) -> int:
    """Commit event states, payment statuses and deliveries in one transaction, if the lease is still held."""

    def decide(connection: Connection) -> int:
        if not leases.holds(connection, lease):
            return 0
        decisions = EventDecider(connection, context.connector, credential_id, facts, now)
        decided = decisions.decide(waiting)
        for bank_connection_id in sorted(decisions.refreshed):
            nudge(connection, credential_id, bank_connection_id, now)
        return decided

    decided = await context.write(decide)
    if decided:
        context.wake()
    return decided
