"""What the manifests declare of the service itself: the states of payments, and the events."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from connector.core.manifest.load import library
from connector.core.manifest.resource_schema import FieldType, fields_of
from connector.core.polls.progress import States

RESERVED, CHARGED, EXPIRED = "reserved", "charged", "expired"
"""What becomes of the credits of a payment."""


@lru_cache(maxsize=1)
def payment_states() -> States:
    """The states of the service's payments."""
    return States(library()["states"]["payment"])


def payment_moves_forward(old: str | None, new: str) -> bool:
    """Whether a payment's state is news after the last known one."""
    return payment_states().moves_forward(old, new)


def credits_state(status: str) -> str:
    """What has become of the credits of a payment with this state."""
    states = payment_states()
    if status not in states.final:
        return RESERVED
    return CHARGED if status in states.succeeded else EXPIRED


PAYMENT, BANK_CONNECTION = "payment", "bank_connection"
RESOURCES = {BANK_CONNECTION: "BankConnection"}
"""As what the API shows the thing that an event is about."""
ACCOUNTS = "accounts"
NOTHING: Mapping[str, Any] = {}


@lru_cache(maxsize=1)
def declared() -> Mapping[str, Mapping[str, Any]]:
    """Every event that the service describes, by name."""
    events: Mapping[str, Mapping[str, Any]] = library()["events"]
    return events


def own(moment: str) -> str:
    """The name under which Kontor itself tells of a run that waits for approval: `asked` or `ended`."""
    return next(name for name, event in declared().items() if event.get("own") == moment)


def is_own(event: str) -> bool:
    """Whether only Kontor itself may tell this."""
    return "own" in declared().get(event, NOTHING)


def about(event: str) -> str | None:
    """What an event is about: a payment, a bank connection; None when nobody described it."""
    subject = declared().get(event, NOTHING).get("about")
    return None if subject is None else str(subject)


def of(subject: str) -> list[str]:
    """The names of the events about a payment, or about a bank connection."""
    return [name for name in declared() if about(name) == subject]


def says_gone(event: str) -> bool:
    """Whether the event says that something is no longer there."""
    return bool(declared().get(event, NOTHING).get("gone"))


def well_status(event: str) -> str | None:
    """The status without an error, where the event says that something has one; None where it does not say so."""
    status = declared().get(event, NOTHING).get("well")
    return None if status is None else str(status)


def shown(event: str) -> tuple[str, ...]:
    """The fields of a described event's data that the API shows of the thing itself."""
    resource = RESOURCES.get(about(event) or "", "")
    known = _fields(resource)
    return tuple(name for name in _fields(_data(event)) if name in known)


def words(event: str) -> Mapping[str, tuple[str, ...]]:
    """The words that are known for fields of a described event's data."""
    return {name: field.known for name, field in _fields(_data(event)).items() if field.known}


def claims(event: str) -> tuple[str, ...]:
    """The paths of what only the event itself says, and no answer of the API shows."""
    return tuple(declared().get(event, NOTHING).get("claims", ()))


def accounts(event: str) -> tuple[str, ...]:
    """What a described event's data say of each account; nothing where they have none."""
    field = _fields(_data(event)).get(ACCOUNTS)
    return tuple(_fields(field.name)) if field else ()


def _data(event: str) -> str:
    return str(declared().get(event, NOTHING).get("data", ""))


def _fields(resource: str) -> Mapping[str, FieldType]:
    return fields_of(resource, library()["resources"])


def brings_news(event: str) -> bool:
    """Whether there is new data to read."""
    return bool(declared().get(event, NOTHING).get("news"))


def name_of_state(state: str) -> str:
    """Under which event the service announces a payment's state."""
    events = {name: event for name, event in declared().items() if event["about"] == PAYMENT}
    special = next((name for name, event in events.items() if state in event.get("states", ())), None)
    return special or next(name for name, event in events.items() if "states" not in event)
