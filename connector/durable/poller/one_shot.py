"""A single poll of one trigger, started by a person, under the same lease and fence as the engine's polls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.core.polls.cursor import Cursor
from connector.core.values import json
from connector.durable.poller import late_rows
from connector.durable.poller.change_signals import (
    AccountsSnapshot,
    fetch_snapshot,
    may_pay,
    prepare_poll,
    reason_to_pay,
    sign_after_poll,
)
from connector.durable.poller.context import PollContext
from connector.durable.poller.group_poll import poll_group
from connector.durable.poller.pages import BANK_CONNECTION, reads_bank_rows
from connector.durable.poller.polled_cursor import LeaseLost, PolledCursor
from connector.durable.poller.run_poll import lease_name, load_cursors, record_outcome
from connector.durable.poller.schedule import cursor_name
from connector.durable.poller.shared_poll import poll_one_page, poll_single
from connector.durable.work import hold_leases
from connector.runtime.poll import Polled, check_start
from connector.runtime.requests import checks
from connector.runtime.result import Credits
from connector.store.database import leases
from connector.store.database.leases import Lease
from connector.store.triggers import cursors, items
from connector.store.triggers.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.model import Trigger


LOOK_SECONDS = 0.5
"""How often the lease of another process is looked at while it is waited for."""


class Busy(KontorError):
    """The trigger is already being polled under the same name."""

    kind = "busy"
    retryable = True
    default_outcome = "not_sent"


@dataclass(frozen=True, slots=True)
class PollRequest:
    """A trigger with validated inputs, and the name of its cursor."""

    trigger: Trigger
    inputs: dict[str, Any]
    start: str
    name: str


@dataclass(frozen=True, slots=True)
class PollOutcome:
    """The result of a poll; without `polled`, nothing was polled for lack of a change signal.

    The items are told again by the next poll unless they are acknowledged.
    """

    polled: Polled | None
    cost: Decimal = field(default_factory=lambda: Decimal(0))
    last_item: int | None = None
    """The number of the last item, with which all of them are acknowledged."""


def poll_request(
    context: PollContext, trigger_id: str, inputs: Mapping[str, Any], start: str, name: str | None
) -> PollRequest:
    """Validate the inputs and build the request; raise an input error when the trigger cannot be polled."""
    trigger = context.connector.trigger(trigger_id)
    if trigger.source != "poll":
        remedy = say("event_trigger_polled_remedy")
        raise InputError(say("event_trigger_polled", id=trigger_id), remedy=remedy, field="trigger")
    clean = context.connector.inputs(trigger).clean(inputs)
    checks.check(trigger, clean)
    fingerprint = context.session.credential.fingerprint
    return PollRequest(trigger, clean, check_start(start), cursor_name(fingerprint, trigger_id, clean, name))


async def poll_once(
    context: PollContext,
    request: PollRequest,
    *,
    only_on_change: bool = False,
    on_wait: Callable[[float], None] | None = None,
) -> PollOutcome:
    """Poll once. With `only_on_change`, a paid list is polled only after a free change signal, and then to its end.

    While another process polls it, `Busy` is raised. With `on_wait`, a process that seems to have died is waited for,
    until its lease can be taken over; `on_wait` is told how many seconds that takes at most.
    """
    await context.write(lambda connection: _create_cursor(connection, context, request))
    name = lease_name(request.name)
    seen: tuple[int, int] | None = None
    while True:
        async with hold_leases(context, [name]) as held:
            if held:
                return await _poll_held(context, request, held, only_on_change)
        counter = await context.read(lambda connection: leases.counter(connection, name))
        if on_wait is None or (seen is not None and counter is not None and counter != seen):
            raise Busy(say("poll_under_way"))
        if seen is None and counter is not None:
            seen = counter
            on_wait(context.observer.dead_after)
        await asyncio.sleep(context.clock.real(LOOK_SECONDS))


async def _poll_held(
    context: PollContext, request: PollRequest, held: dict[str, Lease], only_on_change: bool
) -> PollOutcome:
    await context.write(lambda connection: items.begin_taking(connection, request.name))
    [cursor] = await load_cursors(context, [request.name], held, by_hand=True)
    # The first poll of a trigger that starts now reads to the end of the existing rows: rows that arrive later are
    # new, and must not be mistaken for unread history.
    to_end = only_on_change or (cursor.stored.start == "now" and _is_skipping_history(cursor.stored))
    to_end = to_end or late_rows.is_due(cursor.stored)
    uses_signals = reads_bank_rows(request.trigger)
    snapshot = await _fetch_snapshot(context, request) if uses_signals else AccountsSnapshot()
    if only_on_change and request.trigger.paid_a_day:
        stored, trigger, now = cursor.stored, request.trigger, context.clock.utcnow()
        reason = reason_to_pay(stored, trigger, snapshot, now, context.settings) if uses_signals else None
        if not (reason if uses_signals else may_pay(stored, trigger, now)):
            return await _outcome(context, cursor, polled=False)
    if uses_signals:
        prepare_poll(cursor, snapshot, context.settings)
    await _poll(context, cursor, None if to_end else 1, snapshot if uses_signals else None)
    return await _outcome(context, cursor, polled=True)


async def _outcome(context: PollContext, cursor: PolledCursor, *, polled: bool) -> PollOutcome:
    """Return what this poll found, and what earlier ones found and nobody acknowledged."""
    untaken = await context.read(lambda connection: items.untaken(connection, cursor.name))
    if not polled and not untaken:
        return PollOutcome(None)
    assert cursor.position is not None  # set by every successful poll
    rows = tuple(json.decode(body) for _, body in untaken)
    credits = Credits(cursor.cost, cursor.balance)
    result = Polled(rows, cursor.position, credits, more=cursor.unfinished, watched=cursor.watched)
    return PollOutcome(result, cursor.cost, untaken[-1][0] if untaken else None)


async def acknowledge(context: PollContext, request: PollRequest, outcome: PollOutcome) -> None:
    """Record that the items of a poll were received, so that they are not told again."""
    last = outcome.last_item
    if last is not None:
        await context.write(lambda connection: items.acknowledge(connection, request.name, last))


def _is_skipping_history(stored: StoredCursor) -> bool:
    """Whether the first poll has not reached the end of the existing rows."""
    return stored.cursor is None or stored.polled_at is None or Cursor.is_skipping(stored.cursor)


async def _poll(
    context: PollContext, cursor: PolledCursor, pages: int | None, snapshot: AccountsSnapshot | None
) -> None:
    try:
        if reads_bank_rows(cursor.trigger):
            await (poll_single(context, cursor) if pages is None else poll_one_page(context, cursor))
        else:
            await poll_group(context, [cursor], pages)
    except LeaseLost:
        raise Busy(say("poll_under_way")) from None
    except Exception as error:
        await record_outcome(context, cursor, error, {})
        raise
    await record_outcome(context, cursor, None, sign_after_poll(cursor, snapshot) if snapshot else {})


async def _fetch_snapshot(context: PollContext, request: PollRequest) -> AccountsSnapshot:
    try:
        return await fetch_snapshot(context.session, request.inputs.get(BANK_CONNECTION))
    except KontorError:
        return AccountsSnapshot()  # the error will show when the paid list is polled


def _create_cursor(connection: Connection, context: PollContext, request: PollRequest) -> None:
    cursors.get_or_create(
        connection,
        request.name,
        credential=context.session.credential.fingerprint,
        trigger=request.trigger.id,
        inputs=request.inputs,
        start=request.start,
        next_at=None,
    )
