"""Decides received events of a credential: fetches what confirms them in few requests, then fires.

Finds out what is true of the bank connections that events speak of: from the API, and from what it showed before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.durable.banks import save_bank
from connector.durable.context import JobContext
from connector.durable.inbox.confirm import fetch_bank_connections, fetch_payment_list, fetch_payments
from connector.durable.inbox.confirm_limits import Pauses
from connector.durable.inbox.decide import EventDecider, Facts
from connector.durable.inbox.envelope import Questions, questions_about
from connector.durable.inbox.facts import BankConnectionFacts, PaymentOrAbsence
from connector.durable.poller.change_signals import nudge
from connector.durable.work import KeyedWork, hold_lease, notify_overdue, run_due
from connector.store.database import leases
from connector.store.database.leases import Lease
from connector.store.triggers import bank_connections, bank_states, due_work, events
from connector.store.triggers.events import Event


async def check_bank_connections(
    context: JobContext, credential_id: str, asked: Questions
) -> dict[str, BankConnectionFacts]:
    """Return what is true of the bank connections, without those for which no request is left now."""
    clock = context.clock
    most = context.confirmations.left(credential_id, clock.monotonic())
    session = await context.session(credential_id)
    asked_facts = await fetch_bank_connections(session, asked.bank_connections, asked.refreshed, most)
    news, now = 0, context.now()

    def save(connection: Connection) -> int:
        shown = {id: facts for id, facts in asked_facts.items() if facts.shown is not None}
        for id, facts in shown.items():
            save_bank(connection, context.connector, credential_id, id, facts.shown or {}, now)
        return sum(
            bank_connections.save(connection, credential_id, id, facts.everything, now) for id, facts in shown.items()
        )

    if any(facts.shown is not None for facts in asked_facts.values()):
        news = await context.write(save)
    wasted = len(asked_facts) - news
    missing = [id for id in asked_facts if id in asked.gone and asked_facts[id].shown is None]
    if missing:
        await context.write(lambda connection: bank_states.forget(connection, credential_id, "connection", missing))
    former = await context.read(lambda connection: bank_connections.described(connection, credential_id, missing))
    if missing and any(id not in former for id in missing) and most > wasted:
        wasted += 1
        payments = await fetch_payment_list(session)
        await context.write(lambda c: bank_connections.save_of_payments(c, credential_id, payments, now))
        former = await context.read(lambda connection: bank_connections.described(connection, credential_id, missing))
    context.confirmations.charge(credential_id, wasted, clock.monotonic())
    return {id: replace(facts, former=former.get(id)) for id, facts in asked_facts.items()}


T = TypeVar("T")
BATCH_SIZE = 500


class DecideWork(KeyedWork):
    """Decisions about events; a key is a credential's id."""

    name = due_work.EVENTS
    most = 16

    def __init__(self, context: JobContext) -> None:
        super().__init__(context)
        self._pauses = Pauses()

    async def work(self, key: str) -> int:
        """Decide the events that are due; return how many were decided."""
        context, now = self.context, self.context.now()
        if seconds := self._pauses.left(key, context.clock.monotonic()):
            await self._postpone(key, seconds)
            return 0
        waiting = await context.read(lambda connection: events.due_of(connection, key, now, BATCH_SIZE))
        if not waiting:
            return 0
        async with hold_lease(context, lease_name(key)) as lease:
            return 0 if lease is None else await self._decide(key, waiting, lease, now)

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when the first of the credential's undecided events is due."""
        return events.next_of(connection, key)

    async def _decide(self, key: str, waiting: Sequence[Event], lease: Lease, now: datetime) -> int:
        context = self.context
        asked = await context.read(lambda connection: questions_about(connection, key, waiting))
        try:
            facts = await _fetch_facts(context, key, asked)
        except KontorError as error:  # the API cannot be asked now
            wanted = (error.retry_at - context.now()).total_seconds() if error.retry_at else 0.0
            seconds = self._pauses.begin(key, context.clock.monotonic(), wanted)
            others = [event for event in waiting if event.id not in asked.events]
            decided = await _commit_decisions(context, key, others, Facts(), lease, now) if others else 0
            await self._postpone(key, seconds)
            return decided
        if asked.events:
            self._pauses.end(key)
        return await _commit_decisions(context, key, waiting, facts, lease, now)

    async def _postpone(self, key: str, seconds: float) -> None:
        """Postpone all that is due by now, also what arrived meanwhile: it would fail alike."""
        now = self.context.now()
        until = now + timedelta(seconds=seconds)
        await self.context.write(lambda connection: events.postpone_due(connection, key, until, now))


async def decide_due(context: JobContext, now: datetime) -> int:
    """Decide all that is due, told or not; return how many events were decided."""
    await context.write(lambda connection: notify_overdue(connection, now, now))
    return await run_due(DecideWork(context))


def lease_name(credential_id: str) -> str:
    """Return the name of the lease that allows one host at a time to decide a credential's events."""
    return f"events:{credential_id}"


async def _fetch_facts(context: JobContext, credential_id: str, asked: Questions) -> Facts:
    """Ask the API. What it cannot be asked is left out; when that is everything, the error is raised."""
    errors: list[KontorError] = []

    async def checked(check: Awaitable[dict[str, T]]) -> dict[str, T]:
        try:
            return await check
        except KontorError as error:
            errors.append(error)
            return {}

    payments = await checked(_check_payments(context, credential_id, asked.payments)) if asked.payments else {}
    there = await checked(check_bank_connections(context, credential_id, asked)) if asked.bank_connections else {}
    if errors and not payments and not there:
        raise errors[0]
    return Facts(payments, there)


async def _check_payments(
    context: JobContext, credential_id: str, claims: Mapping[str, Collection[str]]
) -> dict[str, PaymentOrAbsence]:
    """Return what the API shows of these payments, without those for which no request is left now."""
    budget, clock = context.confirmations, context.clock
    most = budget.left(credential_id, clock.monotonic())
    fetched = await fetch_payments(await context.session(credential_id), claims, most)
    budget.charge(credential_id, fetched.wasted, clock.monotonic())
    return fetched.payments


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
