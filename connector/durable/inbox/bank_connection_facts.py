"""Builds the data of events about bank connections from what the API shows. Pure.

Of the event itself only words are kept that the service's description lists: nothing that a forger could have written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connector.core import service_events

WELL = "active"
ACCOUNT = ("id", "name", "holder_name", "nature", "balance", "currency_code", "iban")
SHOWN = ("provider_name", "provider_code", "country_code", "status", "error_class", "error_message")


@dataclass(frozen=True, slots=True)
class BankConnectionFacts:
    """What the API shows of a bank connection."""

    shown: Mapping[str, Any] | None
    """None: it is not there."""
    accounts: Sequence[Mapping[str, Any]] | None = None
    """None: not asked for, or not readable."""
    former: Mapping[str, Any] | None = None
    """What is known of one that is not there any more; None: it was never shown."""


def confirms(event: str, facts: BankConnectionFacts) -> bool:
    """Whether the API shows what the event says."""
    if service_events.says_gone(event):
        return facts.shown is None and facts.former is not None
    if facts.shown is None:
        return False
    return not service_events.says_failed(event) or has_failed(facts.shown)


def has_failed(shown: Mapping[str, Any]) -> bool:
    """Whether the API shows a bank connection with an error."""
    return bool(shown.get("error_class")) or shown.get("status") not in {WELL, None}


def event_data(event: str, id: str, facts: BankConnectionFacts, claimed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an event that the API confirms."""
    fields = service_events.fields(event)
    source = facts.shown if facts.shown is not None else facts.former or {}
    data = {"connection_id": id, **{name: source[name] for name in SHOWN if name in fields and name in source}}
    if "accounts" in fields and facts.accounts is not None:
        data["accounts"] = [_account(one) for one in facts.accounts]
    for name, words in fields.items():
        if name not in data and claimed.get(name) in words:
            data[name] = claimed[name]
    return data


def _account(shown: Mapping[str, Any]) -> dict[str, Any]:
    extra = shown.get("extra")
    merged = {**(extra if isinstance(extra, Mapping) else {}), **shown}
    return {name: merged[name] for name in ACCOUNT if name in merged}
