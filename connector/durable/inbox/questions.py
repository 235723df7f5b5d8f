"""What the API has to be asked before events can be decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from connector.core import service_events
from connector.core.payment_states import payment_moves_forward
from connector.durable.inbox.envelope import Envelope, read_envelope
from connector.store import payment_states
from connector.store.events import Event


@dataclass(slots=True)
class Questions:
    """The questions about a batch of events. Statuses that are not news, and malformed events, raise none."""

    payments: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By payment id, the statuses that are claimed."""
    bank_connections: dict[str, None] = field(default_factory=dict)
    refreshed: set[str] = field(default_factory=set)
    """Those of the bank connections whose accounts are asked for too."""
    gone: set[str] = field(default_factory=set)
    """Those that are said to be gone."""
    events: set[int] = field(default_factory=set)
    """The events that cannot be decided without an answer."""


def questions_about(connection: Connection, credential_id: str, waiting: Sequence[Event]) -> Questions:
    """Return what has to be asked."""
    asked = Questions()
    claims: list[tuple[int, str, str]] = []
    for event in waiting:
        try:
            envelope = read_envelope(event.body)
        except ValueError:
            continue
        about = service_events.about(envelope.event)
        if about == service_events.PAYMENT and envelope.payment_id and envelope.status:
            claims.append((event.id, envelope.payment_id, envelope.status))
        elif about == service_events.BANK_CONNECTION and envelope.bank_connection_id:
            asked.events.add(event.id)
            _add_bank_connection(asked, envelope, envelope.bank_connection_id)
    known = payment_states.statuses(connection, credential_id, list({id for _, id, _ in claims}))
    for event_id, id, status in claims:
        if payment_moves_forward(known.get(id), status):
            asked.events.add(event_id)
            asked.payments[id].append(status)
    return asked


def _add_bank_connection(asked: Questions, envelope: Envelope, id: str) -> None:
    asked.bank_connections[id] = None
    if service_events.brings_news(envelope.event):
        asked.refreshed.add(id)
    elif service_events.says_gone(envelope.event):
        asked.gone.add(id)
