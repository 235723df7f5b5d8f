"""Polls a group of cursors whose requests are equal with one request; or asks for what is watched one by one.

Asks for each of those that a trigger watches one by one, as far as this host knows them.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.core.errors import NotFound
from connector.core.polls.page import Page, Row
from connector.core.values import json
from connector.durable.poller.context import PollContext
from connector.durable.poller.pages import Chunk
from connector.durable.poller.polled_cursor import PolledCursor
from connector.runtime.poll import (
    CONNECTS,
    EVENTS,
    call_for,
    each_of,
    known_before,
    page_looks_cut,
    read_items,
    watched,
    with_origin,
)
from connector.runtime.writes.attempt import CONNECT_ROLE
from connector.store.rates import usage
from connector.store.runs import runs
from connector.store.triggers import events
from connector.store.trust import credentials

if TYPE_CHECKING:
    from sqlalchemy import Connection

MAX_EVENTS = 500
"""How many of the latest events are looked through; who was found in one stays known by the cursor."""


async def watched_rows(context: PollContext, group: list[PolledCursor]) -> list[Row]:
    """Return a row of each that is known, with how it is known; those that are no longer there are left out."""
    first = group[0]
    known: dict[str, str] = {}
    for cursor in group:
        known |= known_before(cursor.trigger, cursor.position)
    each = each_of(first.trigger)
    workspace = await context.session.workspace()
    known |= await context.read(lambda connection: known_here(connection, context, workspace, each.input))
    options = await context.session.options(each.lookup, {})
    known |= {option.value: each.how for option in options}
    rows: list[Row] = []
    for id, how in known.items():
        with suppress(NotFound):
            reply = await first.send(
                context, call_for(first.trigger, first.inputs, id, context.session.credential.wire)
            )
            rows += [with_origin(first.trigger, row, id, how) for row in read_items(first.trigger, reply)]
    return rows


def known_here(connection: Connection, context: PollContext, workspace: str, name: str) -> dict[str, str]:
    """Return those that this database knows of, and how: from connects begun here, and from events."""
    return _connects(connection, context, workspace, name) | _events(connection, context, name)


def _events(connection: Connection, context: PollContext, name: str) -> dict[str, str]:
    """Return those that the service's events have told of, which the API has confirmed."""
    about = [event for event, declared in context.connector.library.events.items() if declared["id"] == name]
    fingerprint = context.session.credential.fingerprint
    own = [
        credential.id for credential in credentials.listed(connection, None) if credential.fingerprint == fingerprint
    ]
    bodies = [body for id in own for body in events.bodies(connection, id, about, MAX_EVENTS)]
    ids = (_data(json.decode(body)).get(name) for body in bodies)
    return dict.fromkeys((id for id in ids if isinstance(id, str) and id), EVENTS)


def _connects(connection: Connection, context: PollContext, workspace: str, name: str) -> dict[str, str]:
    """Return those whose connecting was begun here."""
    action = context.connector.roles[CONNECT_ROLE]
    connects = runs.listed(connection, workspace, context.clock.utcnow(), state="done", action=action)
    ids = (_output(run.outcome).get(name) for run in connects)
    return dict.fromkeys((id for id in ids if isinstance(id, str) and id), CONNECTS)


def _data(envelope: Any) -> dict[str, Any]:
    data = envelope.get("data") if isinstance(envelope, dict) else None
    return data if isinstance(data, dict) else {}


def _output(outcome: Any) -> dict[str, Any]:
    output = outcome.get("output") if isinstance(outcome, dict) else None
    return output if isinstance(output, dict) else {}


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
        waiting = [
            cursor for cursor, place in zip(waiting, before, strict=True) if cursor.more and cursor.position != place
        ]
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
    shown = context.session.state.credits.balance
    balance = shown if shown is not None else reported[0] if reported else None
    reserved = await context.read(lambda connection: usage.reservations(connection, fingerprint))
    return {"balance": balance, "available": None if balance is None else balance - sum(reserved.values(), Decimal(0))}
