"""What a trigger would tell a flow of, for editors that show an example: real rows where the service lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.callers import Actor
from connector.core.manifest.model import Trigger
from connector.core.service_facts import name_of_state
from connector.core.writes.marks import without_marks
from connector.durable.context import JobContext
from connector.durable.inbox.envelope import date_time
from connector.durable.inbox.facts import item_id, payment_data
from connector.operations.catalog import find_manifest
from connector.operations.operation import Access, Document, Free, ok, operation
from connector.runtime.requests import checks
from connector.runtime.session import AsyncSession

MAX_SAMPLES = 3
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
            items = await _of_payments(context, session, trigger, clean)
        elif trigger.timeout <= MAX_SECONDS:
            polled = await session.poll(id, inputs or {}, start="all")
            items = list(reversed(polled.items[-MAX_SAMPLES:]))
        else:
            items = []
    made_up = trigger.sample if isinstance(trigger.sample, list) else [trigger.sample]
    return {"ok": True, "items": items or made_up, "real": bool(items)}


async def _of_payments(
    context: JobContext, session: AsyncSession, trigger: Trigger, inputs: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the newest payments as events of their status tell of them; other things of events are not listed."""
    if trigger.event is None or trigger.confirm != "payment":
        return []
    listed = (await session.invoke(session.id_for("payment_list"), {})).output["items"]
    items: list[dict[str, Any]] = []
    for payment in listed:
        name, data = name_of_state(str(payment.get("status"))), payment_data(payment)
        if trigger.event.fires(name, data, inputs):
            changed = date_time(payment.get("updated_at"))
            items.append(without_marks(trigger.event.item(name, data, item_id(payment), changed, context.now())))
    return items[:MAX_SAMPLES]
