"""Decides what an event is worth, and fires what is true: once, and never back to an earlier status.

The event is only a hint. What fires is the status that the API shows, with the API's amounts; its id is made of the
payment and the status, so the webhook, its repeats and the reconciliation all tell the same thing once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from connector.core import backoff, service_events
from connector.core.states import payment_moves_forward
from connector.durable.inbox.audience import Audience
from connector.durable.inbox.baseline import ensure_baseline
from connector.durable.inbox.envelope import Envelope, read_envelope
from connector.durable.inbox.payment_facts import Absent, Shown, Verdict, event_data, judge
from connector.runtime.connector import Connector
from connector.store import events, payment_states
from connector.store.events import Event

if TYPE_CHECKING:
    from connector.durable.context import JobContext

PAUSES = (5.0, 30.0, 120.0, 600.0)
"""Seconds after which a claim that the API does not show yet is looked at again; then it stays unconfirmed."""
NO_ROOM_SECONDS = 15.0
"""When an event is looked at that there was no room to ask about."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the API showed for a round of events."""

    payments: Mapping[str, Shown] = field(default_factory=dict)
    bank_connections: Mapping[str, bool] = field(default_factory=dict)


class Decisions:
    """Decides events of one credential within one transaction."""

    def __init__(
        self, connection: Connection, connector: Connector, credential_id: str, facts: Facts, now: datetime
    ) -> None:
        self._connection = connection
        self._credential_id = credential_id
        self._facts = facts
        self._now = now
        self._audience = Audience(connection, connector, credential_id)
        self.refreshed: set[str] = set()
        """The bank connections that have new data."""

    def decide(self, waiting: Sequence[Event]) -> int:
        """Decides each event that nobody else has decided; returns how many are done with."""
        open_ones = events.still_new(self._connection, [event.id for event in waiting])
        states = {event.id: self._state(event) for event in waiting if event.id in open_ones}
        decided = 0
        for state in sorted(set(states.values()) - {"new"}):
            ids = [id for id, found in states.items() if found == state]
            events.decide(self._connection, ids, state, self._now)
            decided += len(ids)
        return decided

    def _state(self, event: Event) -> events.State:
        try:
            envelope = read_envelope(event.body)
        except ValueError:  # well-formed, but with values that nobody can hold, such as a number of a million digits
            return "forged"
        about = service_events.about(envelope.event)
        if about == service_events.PAYMENT:
            return self._payment_state(event, envelope)
        if about == service_events.BANK_CONNECTION:
            return self._bank_connection_state(event, envelope)
        if not envelope.touches_money:
            self._audience.tell(envelope.event, envelope.data, envelope.content_id, self._now)
        return "unknown"

    def _payment_state(self, event: Event, envelope: Envelope) -> events.State:
        payment_id, claimed = envelope.payment_id, envelope.status
        if payment_id is None or claimed is None:
            return "forged"
        if not payment_moves_forward(
            payment_states.status_of(self._connection, self._credential_id, payment_id), claimed
        ):
            return "stale"
        shown = self._facts.payments.get(payment_id)
        if shown is None:
            return self._wait(event)
        match judge(claimed, shown):
            case Verdict.FALSE:
                return "forged"
            case Verdict.OUT_OF_REACH:
                return "unconfirmed"
            case Verdict.NOT_YET:
                return self._try_later(event, "forged" if isinstance(shown, Absent) else "unconfirmed")
        assert not isinstance(shown, Absent)  # judged as true
        return "fired" if self.tell_payment(shown, event.arrived_at, envelope.data) else "stale"

    def tell_payment(self, payment: Mapping[str, Any], at: datetime, claimed: Mapping[str, Any] | None = None) -> bool:
        """Fires the status that the API shows, if it is later than the one told before."""
        payment_id, status = str(payment["id"]), str(payment["status"])
        if not payment_states.move(self._connection, self._credential_id, payment_id, status, at):
            return False
        data = event_data(payment, claimed)
        self._audience.tell(service_events.name_of_state(status), data, f"{payment_id}:{status}", self._now)
        return True

    def _bank_connection_state(self, event: Event, envelope: Envelope) -> events.State:
        id = envelope.bank_connection_id
        if id is None:
            return "forged"
        there = self._facts.bank_connections.get(id)
        if there is None:
            return self._wait(event)
        if service_events.says_gone(envelope.event):
            if there:  # its absence is what would confirm it
                return self._try_later(event, "unconfirmed")
        elif not there:
            return "forged"
        self._audience.tell(envelope.event, envelope.data, envelope.content_id, self._now)
        if service_events.brings_news(envelope.event):
            self.refreshed.add(id)
        return "fired"

    def _try_later(self, event: Event, finally_: events.State) -> events.State:
        pause = backoff.listed(event.tries + 1, PAUSES)
        if pause is None:
            return finally_
        events.put_off(self._connection, [event.id], self._now + timedelta(seconds=pause), tried=True)
        return "new"

    def _wait(self, event: Event) -> events.State:
        events.put_off(self._connection, [event.id], self._now + timedelta(seconds=NO_ROOM_SECONDS), tried=False)
        return "new"


async def payment_seen(context: JobContext, credential_id: str, payment: Mapping[str, Any], now: datetime) -> bool:
    """A payment as the API has just shown it: fires its status if no event has told it yet.

    Before it is entered where all payments stand, news cannot be told from history: then that is done first, and
    nothing fires.
    """
    if not isinstance(payment.get("id"), str) or not isinstance(payment.get("status"), str):
        return False
    if await ensure_baseline(context, credential_id, now):
        return False

    def tell(connection: Connection) -> bool:
        if not payment_moves_forward(
            payment_states.status_of(connection, credential_id, payment["id"]), payment["status"]
        ):
            return False
        return Decisions(connection, context.connector, credential_id, Facts(), now).tell_payment(payment, now)

    told = await context.write(tell)
    if told:
        context.wake()
    return told
