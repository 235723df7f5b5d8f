"""Reads the envelope of an event, and derives the id that the service does not give it. Pure.

At the door an envelope is only glanced at, since its sender waits; it is read whole when it is decided.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

import msgspec

from connector.core.values import json

MOST_NAME = 100
_MOMENT = re.compile(rb'"([0-9T:.-]{1,23})')
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,119}")


class _Shape(msgspec.Struct):
    event: str
    data: msgspec.Raw = msgspec.Raw(b"null")
    received_at: msgspec.Raw = msgspec.Raw(b"null")


_SHAPE = msgspec.json.Decoder(_Shape)
_CANONICAL = msgspec.json.Encoder(order="sorted", decimal_format="number")


@dataclass(frozen=True, slots=True)
class Envelope:
    """One event as it was sent."""

    event: str
    data: dict[str, Any]
    content_id: str
    """Equal for equal content, however it is written: the id of what is told."""

    @property
    def payment_id(self) -> str | None:
        """The payment it speaks of, if it names one that could exist."""
        return _as_id(self.data.get("payment_id"))

    @property
    def bank_connection_id(self) -> str | None:
        """The bank connection it speaks of, if it names one that could exist."""
        return _as_id(self.data.get("connection_id"))

    @property
    def status(self) -> str | None:
        """The payment's status that it claims."""
        status = self.data.get("status")
        return status if isinstance(status, str) and 0 < len(status) <= 64 else None

    @property
    def touches_money(self) -> bool:
        """Whether it seems to speak of a payment, by its own name or by any name within it."""
        return "payment" in self.event.lower() or _names_payment(self.data)


def glance(body: bytes) -> tuple[str, str]:
    """The event's name and a digest of the body; raises `ValueError` when it is no envelope.

    The digest begins with the moment that the event itself names, so that those of one hour stand together in the
    store: there each new one is looked up among all before, and one that is anywhere takes twice the time to write.

    The same event sent again has the same digest as long as it is written the same way; if it is not, the id of its
    content still keeps it from being told twice.
    """
    try:
        shape = _SHAPE.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise ValueError(f"not an envelope: {wrong}") from None
    if not shape.event.strip() or bytes(shape.data)[:1] not in (b"{", b"n"):
        raise ValueError("an envelope carries an event and its data")
    moment = _MOMENT.match(bytes(shape.received_at))
    digest = hashlib.sha256(body).hexdigest()
    return _printable(shape.event)[:MOST_NAME], f"{moment[1].decode()}~{digest[:40]}" if moment else digest


def read_envelope(body: bytes | str) -> Envelope:
    """Reads an envelope whole; raises `ValueError` when it is none. An unknown event is no error."""
    tree = json.decode(body)
    event, data = (tree.get("event"), tree.get("data")) if isinstance(tree, dict) else (None, None)
    data = {} if data is None else data
    if not isinstance(event, str) or not isinstance(data, dict):
        raise ValueError("an envelope carries an event and its data")
    content = _CANONICAL.encode([event, data, tree.get("received_at")])
    return Envelope(_printable(event)[:MOST_NAME], data, hashlib.sha256(content).hexdigest())


def _printable(name: str) -> str:
    return name if name.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in name)


def _as_id(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        value = str(value)
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def _names_payment(value: Any) -> bool:
    if isinstance(value, dict):
        return any("payment" in name.lower() or _names_payment(inner) for name, inner in value.items())
    return isinstance(value, list) and any(map(_names_payment, value))
