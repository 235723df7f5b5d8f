"""Decides events, and fires what the API confirms: once, and never an earlier status than before.

An event is only a hint. What fires is the status and the amounts that the API shows; the item's id consists of payment
id and status, so that the webhook, its repeats and the reconciliation fire it only once together. Of a bank connection,
one state fires once by each kind of event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from connector.core import service_facts, timing
from connector.core.service_facts import payment_moves_forward
from connector.durable.inbox.baseline import ensure_baseline
from connector.durable.inbox.envelope import Envelope, date_time, read_envelope
from connector.durable.inbox.facts import (
    Absent,
    BankConnectionFacts,
    PaymentOrAbsence,
    Verdict,
    bank_connection_data,
    check_claim,
    confirms,
    item_id,
    payment_data,
    state_of,
)
from connector.durable.inbox.subscribers import EventSubscribers
from connector.runtime.connector import Connector
from connector.store.runs import payment_records
from connector.store.triggers import bank_connections, events
from connector.store.triggers.events import Event

if TYPE_CHECKING:
    from connector.durable.context import JobContext

RETRY_DELAYS = (5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0)
"""Seconds between checks of a claim that the API does not show yet; after the last one it stays unconfirmed, until the
event comes again."""
RATE_LIMITED_RETRY_SECONDS = 15.0
"""Seconds until the next check of an event for which no request was left."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the API showed for a batch of events."""

    payments: Mapping[str, PaymentOrAbsence] = field(default_factory=dict)
    bank_connections: Mapping[str, BankConnectionFacts] = field(default_factory=dict)


class EventDecider:
    """Decides events of one credential in one transaction."""

    def __init__(
        self, connection: Connection, connector: Connector, credential_id: str, facts: Facts, now: datetime
    ) -> None:
        self._connection = connection
        self._credential_id = credential_id
        self._facts = facts
        self._now = now
        self._subscribers = EventSubscribers(connection, connector, credential_id)
        self.refreshed: set[str] = set()
        """Bank connections with new data."""

    def decide(self, waiting: Sequence[Event]) -> int:
        """Decide the events that are still undecided; return how many were decided."""
        undecided = events.undecided(self._connection, [event.id for event in waiting])
        states = {event.id: self._state(event) for event in waiting if event.id in undecided}
        decided = 0
        for state in sorted(set(states.values()) - {"new"}):
            ids = [id for id, of_id in states.items() if of_id == state]
            events.set_state(self._connection, ids, state, self._now)
            decided += len(ids)
        return decided

    def _state(self, event: Event) -> events.State:
        try:
            envelope = read_envelope(event.body)
        except ValueError:  # well-formed, but with an unusable value, such as a number of a million digits
            return "forged"
        about = service_facts.about(envelope.event)
        if about == service_facts.PAYMENT:
            return self._payment_state(event, envelope)
        if about == service_facts.BANK_CONNECTION:
            return self._bank_connection_state(event, envelope)
        if service_facts.is_own(envelope.event):  # only Kontor itself may tell this
            return "forged"
        if not envelope.mentions_payment:
            self._enqueue(event, envelope, envelope.data, confirmed=False)
        return "unknown"

    def _payment_state(self, event: Event, envelope: Envelope) -> events.State:
        payment_id, claimed = envelope.payment_id, envelope.status
        if payment_id is None or claimed is None:
            return "forged"
        if not payment_moves_forward(
            payment_records.status_of(self._connection, self._credential_id, payment_id), claimed
        ):
            return "stale"
        shown = self._facts.payments.get(payment_id)
        if shown is None:
            return self._postpone(event)
        match check_claim(claimed, shown):
            case Verdict.FALSE:
                return "forged"
            case Verdict.OUT_OF_REACH:
                return "unconfirmed"
            case Verdict.NOT_YET:
                return self._retry_or(event, "forged" if isinstance(shown, Absent) else "unconfirmed")
        assert not isinstance(shown, Absent)  # judged as true
        return "fired" if self.fire_payment(shown, event.arrived_at, envelope) else "stale"

    def fire_payment(self, payment: Mapping[str, Any], at: datetime, envelope: Envelope | None = None) -> bool:
        """Fire the status that the API shows, if it is later than the one fired before.

        What no event told has the time at which the service changed the payment.
        """
        payment_id, status = str(payment["id"]), str(payment["status"])
        if not payment_records.advance_status(self._connection, self._credential_id, payment_id, status, at):
            return False
        data = payment_data(payment, envelope.data if envelope else None)
        time = envelope.received_at if envelope else date_time(payment.get("updated_at"))
        name = service_facts.name_of_state(status)
        self._subscribers.enqueue(name, data, item_id(payment), self._now, received_at=time, arrived_at=at)
        return True

    def _bank_connection_state(self, event: Event, envelope: Envelope) -> events.State:
        id = envelope.bank_connection_id
        if id is None:
            return "forged"
        facts = self._facts.bank_connections.get(id)
        if facts is None:
            return self._postpone(event)
        if not confirms(envelope.event, facts):
            # It is not there; and if it is said to be gone, it never was.
            return self._retry_or(event, "forged" if facts.shown is None else "unconfirmed")
        state = state_of(envelope.event, id, facts)
        if bank_connections.was_reported(self._connection, self._credential_id, id, envelope.event, state):
            return self._retry_or(
                event, "stale"
            )  # it is an old one, or nobody's, or came before the API shows its news
        data = bank_connection_data(envelope.event, id, facts, envelope.data)
        self._enqueue(event, envelope, data, claimed=envelope.data)
        if service_facts.brings_news(envelope.event):
            self.refreshed.add(id)
        bank_connections.record_state(self._connection, self._credential_id, id, {envelope.event: state})
        return "fired"

    def _enqueue(self, event: Event, envelope: Envelope, data: dict[str, Any], **more: Any) -> None:
        more |= {"received_at": envelope.received_at, "arrived_at": event.arrived_at}
        self._subscribers.enqueue(envelope.event, data, envelope.content_id, self._now, **more)

    def _retry_or(self, event: Event, final: events.State) -> events.State:
        """Postpone the event after a failed check; return `final` when all retries are used up."""
        delay = timing.listed(event.tries + 1, RETRY_DELAYS)
        if delay is None:
            return final
        events.postpone(self._connection, [event.id], self._now + timedelta(seconds=delay), tried=True)
        return "new"

    def _postpone(self, event: Event) -> events.State:
        """Postpone an event for which no request was left."""
        events.postpone(
            self._connection, [event.id], self._now + timedelta(seconds=RATE_LIMITED_RETRY_SECONDS), tried=False
        )
        return "new"


async def report_payment(context: JobContext, credential_id: str, payment: Mapping[str, Any], now: datetime) -> bool:
    """Fire the status of a payment as just shown by the API, if no event has fired it yet.

    Without a baseline, new and old statuses cannot be distinguished: then the baseline is taken, and nothing fires.
    """
    if not isinstance(payment.get("id"), str) or not isinstance(payment.get("status"), str):
        return False
    if await ensure_baseline(context, credential_id, now):
        return False

    def fire(connection: Connection) -> bool:
        if not payment_moves_forward(
            payment_records.status_of(connection, credential_id, payment["id"]), payment["status"]
        ):
            return False
        return EventDecider(connection, context.connector, credential_id, Facts(), now).fire_payment(payment, now)

    fired = await context.write(fire)
    if fired:
        context.wake()
    return fired
