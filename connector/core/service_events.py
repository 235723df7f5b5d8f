"""The service's events as `manifests/events.yaml` declares them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from connector.core.manifest.load import library
from connector.core.resource_schema import FieldType

PAYMENT, BANK_CONNECTION = "payment", "bank_connection"
NOTHING: Mapping[str, Any] = {}


@lru_cache(maxsize=1)
def declared() -> Mapping[str, Mapping[str, Any]]:
    """Every event that the service describes, by name."""
    found: Mapping[str, Mapping[str, Any]] = library()["events"]
    return found


def own(moment: str) -> str:
    """The name under which Kontor itself tells of a run that waits for approval: `asked` or `ended`."""
    return next(name for name, one in declared().items() if one.get("own") == moment)


def is_own(event: str) -> bool:
    """Whether only Kontor itself may tell this."""
    return "own" in declared().get(event, NOTHING)


def about(event: str) -> str | None:
    """What an event is about: a payment, a bank connection; None when nobody described it."""
    subject = declared().get(event, NOTHING).get("about")
    return None if subject is None else str(subject)


def says_gone(event: str) -> bool:
    """Whether the event says that something is no longer there."""
    return bool(declared().get(event, NOTHING).get("gone"))


def says_failed(event: str) -> bool:
    """Whether the event says that something has an error."""
    return bool(declared().get(event, NOTHING).get("fails"))


def fields(event: str) -> Mapping[str, tuple[str, ...]]:
    """The fields of a described event's data, each with the words that are known for it."""
    data = declared().get(event, NOTHING).get("data")
    resource: Mapping[str, Any] = library()["resources"].get(data, {"fields": NOTHING})
    return {name: FieldType.of(one).known for name, one in resource["fields"].items()}


def brings_news(event: str) -> bool:
    """Whether there is new data to read."""
    return bool(declared().get(event, NOTHING).get("news"))


def name_of_state(state: str) -> str:
    """Under which event the service announces a payment's state."""
    events = {name: one for name, one in declared().items() if one["about"] == PAYMENT}
    special = next((name for name, one in events.items() if state in one.get("states", ())), None)
    return special or next(name for name, one in events.items() if "states" not in one)
