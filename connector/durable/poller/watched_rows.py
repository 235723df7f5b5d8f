"""Asks for each of those that a trigger watches one by one, as far as this host knows them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from connector.core.errors import NotFound
from connector.core.polls.page import Row
from connector.core.values import json
from connector.durable.poller.context import PollContext
from connector.durable.poller.polled_cursor import PolledCursor
from connector.runtime.attempt import CONNECT_ROLE
from connector.runtime.poll import read_items
from connector.runtime.watched import CONNECTS, EVENTS, call_for, each_of, known_before, with_origin
from connector.store import credentials, events, runs

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
    about = [event for event, one in context.connector.library.events.items() if one["id"] == name]
    fingerprint = context.session.credential.fingerprint
    own = [one.id for one in credentials.listed(connection, None) if one.fingerprint == fingerprint]
    bodies = [body for id in own for body in events.bodies(connection, id, about, MAX_EVENTS)]
    ids = (_data(json.decode(body)).get(name) for body in bodies)
    return dict.fromkeys((id for id in ids if isinstance(id, str) and id), EVENTS)


def _connects(connection: Connection, context: PollContext, workspace: str, name: str) -> dict[str, str]:
    """Return those whose connecting was begun here."""
    action = context.connector.roles[CONNECT_ROLE]
    found = runs.listed(connection, workspace, context.clock.utcnow(), state="done", action=action)
    ids = (_output(one.outcome).get(name) for one in found)
    return dict.fromkeys((id for id in ids if isinstance(id, str) and id), CONNECTS)


def _data(envelope: Any) -> dict[str, Any]:
    data = envelope.get("data") if isinstance(envelope, dict) else None
    return data if isinstance(data, dict) else {}


def _output(outcome: Any) -> dict[str, Any]:
    output = outcome.get("output") if isinstance(outcome, dict) else None
    return output if isinstance(output, dict) else {}
