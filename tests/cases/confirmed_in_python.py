"""Runs a case about an event that the API is asked about, with what the API shows given."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from connector.core import service_facts
from connector.core.manifest.model import Trigger
from connector.durable.inbox import facts
from connector.durable.inbox.envelope import Envelope, date_time
from connector.testing.cases.files import decoded


def item_of(
    trigger: Trigger, inputs: Mapping[str, Any], body: Mapping[str, Any], now: datetime
) -> dict[str, Any] | None:
    """What a flow gets of the event; None where it gets nothing."""
    assert trigger.event is not None
    time = date_time(decoded(body.get("received_at")))
    envelope = Envelope(body["event"], decoded(body["data"]), hashlib.sha256(b"content").hexdigest(), time)
    about, needed = service_facts.about(envelope.event), dict[str, str]()
    if about is None:
        if envelope.mentions_payment or not trigger.event.names_event(envelope.event, inputs):
            return None
        name, data, id = envelope.event, envelope.data, envelope.content_id
    elif about == service_facts.PAYMENT:
        found = _of_payment(envelope, body)
        if found is None:
            return None
        name, data, id = found
    elif about == service_facts.BANK_CONNECTION:
        shown, of = _shown(body), envelope.bank_connection_id
        if of is None or not facts.confirms(envelope.event, shown):
            return None
        if "before" in body:
            before = _shown(body["before"])
            assert facts.confirms(envelope.event, before), "the event before was not told"
            if facts.state_of(envelope.event, of, before) == facts.state_of(envelope.event, of, shown):
                return None
        data = facts.bank_connection_data(envelope.event, of, shown, envelope.data)
        needed = trigger.event.claims_needed(data, envelope.data, inputs)
        name, id, data = envelope.event, envelope.content_id, {**data, **needed}
    else:
        return None
    if not trigger.event.fires(name, data, inputs):
        return None
    return trigger.event.item(name, data, id, time, now, confirmed=about is not None and not needed)


def _shown(body: Mapping[str, Any]) -> facts.BankConnectionFacts:
    parts = ("shown", "accounts", "former")
    return facts.BankConnectionFacts(*(decoded(body[part]) if part in body else None for part in parts))


def _of_payment(envelope: Envelope, body: Mapping[str, Any]) -> tuple[str, dict[str, Any], str] | None:
    if envelope.payment_id is None or envelope.status is None or "shown" not in body:
        return None
    payment = {"id": envelope.payment_id, **decoded(body["shown"])}
    if facts.check_claim(envelope.status, payment) is not facts.Verdict.TRUE:
        return None
    data = facts.payment_data(payment, envelope.data)
    return service_facts.name_of_state(data["status"]), data, f"{payment['id']}:{data['status']}"
