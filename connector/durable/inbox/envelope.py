"""Parses the envelope of an event, and derives the id that the service does not provide. Pure.

On arrival only the name is parsed, since the sender waits; the rest is parsed when the event is decided.

What the API has to be asked before events can be decided.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection

from connector.core import service_facts
from connector.core.service_facts import payment_moves_forward
from connector.core.values import json
from connector.core.values.dates import instant
from connector.store.runs import payment_records
from connector.store.triggers.events import Event

MAX_NAME_CHARACTERS = 100
MAX_TIME_CHARACTERS = 40
_TIMESTAMP = re.compile(rb'"([0-9T:.-]{1,23})')
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,119}")


class _EnvelopeParts(msgspec.Struct):
    event: str
    data: msgspec.Raw = msgspec.Raw(b"null")
    received_at: msgspec.Raw = msgspec.Raw(b"null")


_DECODER = msgspec.json.Decoder(_EnvelopeParts)
_CANONICAL_ENCODER = msgspec.json.Encoder(order="sorted", decimal_format="number")


@dataclass(frozen=True, slots=True)
class Envelope:
    """An event as the service sent it."""

    event: str
    data: dict[str, Any]
    content_id: str
    """A digest of the content, independent of its JSON notation; used as the item's id."""
    received_at: str | None = None
    """The time that the event itself names."""

    @property
    def payment_id(self) -> str | None:
        """The payment id, if it is well-formed."""
        return _as_id(self.data.get("payment_id"))

    @property
    def bank_connection_id(self) -> str | None:
        """The bank connection id, if it is well-formed."""
        return _as_id(self.data.get("connection_id"))

    @property
    def status(self) -> str | None:
        """The claimed status of the payment."""
        status = self.data.get("status")
        return status if isinstance(status, str) and 0 < len(status) <= 64 else None

    @property
    def mentions_payment(self) -> bool:
        """Whether its name or any key within it contains the word payment."""
        return "payment" in self.event.lower() or _mentions_payment(self.data)


def peek(body: bytes) -> tuple[str, str]:
    """Return the event's name and a digest of the body; raise `ValueError` when it is no envelope.

    The digest is prefixed with the event's own timestamp, so that recent ones are adjacent in the unique index: an
    insert at a random place takes twice as long.

    The same event sent again has the same digest if its bytes are equal; otherwise its `content_id` still prevents that
    it fires twice.
    """
    try:
        parts = _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise ValueError(f"not an envelope: {wrong}") from None
    if not parts.event.strip() or bytes(parts.data)[:1] not in (b"{", b"n"):
        raise ValueError("an envelope carries an event and its data")
    timestamp = _TIMESTAMP.match(bytes(parts.received_at))
    digest = hashlib.sha256(body).hexdigest()
    event_id = f"{timestamp[1].decode()}~{digest[:40]}" if timestamp else digest
    return _printable(parts.event)[:MAX_NAME_CHARACTERS], event_id


def read_envelope(body: bytes | str) -> Envelope:
    """Parse a whole envelope; raise `ValueError` when it is none. An unknown event name is no error."""
    tree = json.decode(body)
    event, data = (tree.get("event"), tree.get("data")) if isinstance(tree, dict) else (None, None)
    data = {} if data is None else data
    if not isinstance(event, str) or not isinstance(data, dict):
        raise ValueError("an envelope carries an event and its data")
    content = _CANONICAL_ENCODER.encode([event, data, tree.get("received_at")])
    content_id, time = hashlib.sha256(content).hexdigest(), tree.get("received_at")
    return Envelope(_printable(event)[:MAX_NAME_CHARACTERS], data, content_id, date_time(time))


def date_time(value: Any) -> str | None:
    """Return a date-time as it is written; None when it is none."""
    try:
        return value if isinstance(value, str) and len(value) <= MAX_TIME_CHARACTERS and instant(value) else None
    except ValueError:
        return None


def _printable(name: str) -> str:
    return name if name.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in name)


def _as_id(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        value = str(value)
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def _mentions_payment(value: Any) -> bool:
    if isinstance(value, dict):
        return any("payment" in name.lower() or _mentions_payment(inner) for name, inner in value.items())
    return isinstance(value, list) and any(map(_mentions_payment, value))


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
        about = service_facts.about(envelope.event)
        if about == service_facts.PAYMENT and envelope.payment_id and envelope.status:
            claims.append((event.id, envelope.payment_id, envelope.status))
        elif about == service_facts.BANK_CONNECTION and envelope.bank_connection_id:
            asked.events.add(event.id)
            _add_bank_connection(asked, envelope, envelope.bank_connection_id)
    known = payment_records.statuses(connection, credential_id, list({id for _, id, _ in claims}))
    for event_id, id, status in claims:
        if payment_moves_forward(known.get(id), status):
            asked.events.add(event_id)
            asked.payments[id].append(status)
    return asked


def _add_bank_connection(asked: Questions, envelope: Envelope, id: str) -> None:
    asked.bank_connections[id] = None
    if service_facts.brings_news(envelope.event):
        asked.refreshed.add(id)
    elif service_facts.says_gone(envelope.event):
        asked.gone.add(id)
