"""Builds the data of events about bank connections from what the API shows. Pure.

Of the event itself only words are kept that the service's description lists: nothing that a forger could have written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connector.core import service_events
from connector.core.digest import digest


@dataclass(frozen=True, slots=True)
class BankConnectionFacts:
    """What the API shows of a bank connection."""

    shown: Mapping[str, Any] | None
    """None: it is not there."""
    accounts: Sequence[Mapping[str, Any]] | None = None
    """None: not asked for, or not readable."""
    former: Mapping[str, Any] | None = None
    """What is known of one that is not there any more; None: it was never shown."""

    @property
    def everything(self) -> dict[str, Any]:
        """All that is shown, with the accounts where they were asked for."""
        return {**(self.shown or {}), **({"accounts": self.accounts} if self.accounts else {})}


def confirms(event: str, facts: BankConnectionFacts) -> bool:
    """Whether the API shows what the event says."""
    if service_events.says_gone(event):
        return facts.shown is None and facts.former is not None
    if facts.shown is None:
        return False
    well = service_events.well_status(event)
    return well is None or bool(facts.shown.get("error_class")) or facts.shown.get("status") not in (well, "", None)


def state_of(event: str, id: str, facts: BankConnectionFacts) -> str:
    """Return a digest of what the API shows and the event tells: one state is told once."""
    if service_events.says_gone(event):
        return digest(id, dict(facts.former or {}))
    accounts = [dict(one) for one in facts.accounts or ()] if service_events.brings_news(event) else []
    return digest(id, {"bank_connection": dict(facts.shown or {}), "accounts": accounts})


def event_data(event: str, id: str, facts: BankConnectionFacts, claimed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an event that the API confirms."""
    source = facts.shown if facts.shown is not None else facts.former or {}
    data = {"connection_id": id, **{name: source[name] for name in service_events.shown(event) if name in source}}
    account = service_events.accounts(event)
    if account and facts.accounts is not None:
        data["accounts"] = [_account(one, account) for one in facts.accounts]
    for name, words in service_events.words(event).items():
        if name not in data and claimed.get(name) in words:
            data[name] = claimed[name]
    return data


def _account(shown: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    extra = shown.get("extra")
    merged = {**(extra if isinstance(extra, Mapping) else {}), **shown}
    return {name: merged[name] for name in names if name in merged}
