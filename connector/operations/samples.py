"""What a trigger would tell a flow of, for editors that show an example: real rows where the service lists them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from connector.core import service_facts
from connector.core.callers import Actor
from connector.core.data.events import EventFilter
from connector.core.errors import NotFound, Refused, RightMissing
from connector.core.manifest.model import Trigger
from connector.core.service_facts import name_of_state
from connector.core.writes.marks import without_marks
from connector.durable.context import JobContext
from connector.durable.inbox.confirm import fetch_bank_connections
from connector.durable.inbox.envelope import date_time
from connector.durable.inbox.facts import bank_connection_data, confirms, item_id, payment_data, state_of
from connector.operations.catalog import find_manifest
from connector.operations.operation import Access, Document, Free, ok, operation
from connector.runtime.requests import checks
from connector.runtime.session import AsyncSession

MAX_SAMPLES = 3
MAX_ASKED = 5
"""How many bank connections are asked for."""
MAX_SECONDS = 30.0
"""Editors wait about so long."""
FOUND = ok("SamplesFound", items=list[Free], real=bool)


@operation("POST /v1/triggers/{id}/sample", "operator", FOUND, needs_key=True)
async def find_samples(
    context: JobContext, actor: Actor | None, access: Access, *, id: str, inputs: Free | None = None
) -> Document:
    """The newest that a trigger would tell of, and the manifest's sample where there is nothing.

    It costs what a poll of the trigger costs.
    """
    trigger = find_manifest(context.connector.trigger, id)
    clean = context.connector.inputs(trigger).clean(inputs or {})
    checks.check(trigger, clean)
    async with access.session(calls_service=True) as session:
        if trigger.source == "event":
            items = await _of_events(context, session, trigger, clean)
        elif trigger.timeout <= MAX_SECONDS:
            polled = await session.poll(id, inputs or {}, start="all")
            items = list(reversed(polled.items[-MAX_SAMPLES:]))
        else:
            items = []
    made_up = trigger.sample if isinstance(trigger.sample, list) else [trigger.sample]
    return {"ok": True, "items": items or made_up, "real": bool(items)}


async def _of_events(
    context: JobContext, session: AsyncSession, trigger: Trigger, inputs: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return what the trigger would be told of lately, from what the API lists and shows now."""
    spec = trigger.event
    if spec is None:
        return []
    told_events = {event for event in service_facts.declared() if not service_facts.is_own(event)}
    told_events = {event for event in told_events if spec.may_tell(event, inputs)}
    if not told_events:
        return []
    payments = (await session.invoke(session.id_for("payment_list"), {})).output["items"]
    items = _of_payments(context, spec, inputs, payments)
    about = [event for event in service_facts.of(service_facts.BANK_CONNECTION) if event in told_events]
    for event in about if len(items) < MAX_SAMPLES else ():
        items += await _of_bank_connections(context, session, spec, event, inputs, payments)
    return items[:MAX_SAMPLES]


def _of_payments(
    context: JobContext, spec: EventFilter, inputs: Mapping[str, Any], payments: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the newest payments as events of their status tell of them."""
    items: list[dict[str, Any]] = []
    for payment in payments:
        name, data = name_of_state(str(payment.get("status"))), payment_data(payment)
        if spec.fires(name, data, inputs):
            changed = date_time(payment.get("updated_at"))
            items.append(without_marks(spec.item(name, data, item_id(payment), changed, context.now())))
            if len(items) == MAX_SAMPLES:
                break
    return items


async def _of_bank_connections(
    context: JobContext,
    session: AsyncSession,
    spec: EventFilter,
    event: str,
    inputs: Mapping[str, Any],
    payments: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return what an event would tell of the bank connections that the inputs name or payments were made with."""
    id_field = service_facts.declared()[event]["id"]
    asked = spec.inputs_for(id_field, inputs)
    former = {str(payment[id_field]): payment for payment in payments if payment.get(id_field)}
    known = asked if asked and not service_facts.says_gone(event) else [id for id in former if not asked or id in asked]
    claimed = {name: next(iter(spec.inputs_for(name, inputs)), None) for name in service_facts.words(event)}
    refreshed = known if service_facts.accounts(event) else ()
    try:
        facts = await fetch_bank_connections(session, known[:MAX_ASKED], refreshed, MAX_ASKED)
    except (NotFound, Refused, RightMissing):  # what is not shown is no example
        return []
    items = []
    for id, shown in facts.items():
        there = shown if shown.shown is not None else replace(shown, former=former.get(id))
        data = bank_connection_data(event, id, there, claimed) if confirms(event, there) else None
        if data is not None and spec.fires(event, data, inputs):
            items.append(spec.item(event, data, state_of(event, id, there), None, context.now()))
    return items
