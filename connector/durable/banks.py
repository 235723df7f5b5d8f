"""Bank connections and accounts as the service last showed them, and which of them need a person.

What is wrong with a bank connection is what the triggers that watch bank connections would fire for: an error, and a
consent that ends soon or has ended. Which account belongs to which bank connection is asked once. The service lists no
bank connections: of an account whose bank connection nobody knows, only its age shows that its figures are old.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection

from connector.core.data.templates import at
from connector.core.manifest.model import Trigger
from connector.core.polls.alarm import Alarm
from connector.core.values.dates import instant
from connector.runtime.connector import Connector
from connector.store.triggers import bank_states
from connector.store.triggers.bank_states import BankState

CONSENT_WARNING = timedelta(days=14)
SILENT = timedelta(days=7)
"""An account of a bank connection that nobody knows, and that has not changed for this long, shows old figures."""
BANK = "_bank_connection"
"""Under which an account keeps the id of its bank connection, where that is known."""
Kind = Literal["consent_over", "bank_needs_attention", "consent_ending"]


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank connection as it was last shown."""

    id: str
    name: str
    provider: str
    """The code under which it is connected again."""
    consent_ends: datetime | None
    trouble: Kind | None
    error: str = ""
    """What the bank says, in its own words."""
    since: datetime | None = None
    """When its trouble was first seen."""
    seen_at: datetime | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether nothing new comes from it: its accounts show old figures."""
        return self.trouble in {"consent_over", "bank_needs_attention"}


@dataclass(frozen=True, slots=True)
class OldBalance:
    """An account whose balance the bank has not brought up to date."""

    account: str
    name: str
    as_of: datetime | None
    """When the service last changed it."""
    bank: str = ""
    """The id of the bank connection; empty: it is not known."""


def read_bank(connector: Connector, id: str, shown: Mapping[str, Any], now: datetime) -> Bank:
    """Return a bank connection, and whether it needs a person, by the triggers that watch bank connections."""
    name = str(shown.get("display_name") or shown.get("provider_name") or id)
    error = str(shown.get("error_message") or shown.get("error_class") or "")
    ends: datetime | None = None
    has_error = False
    for trigger, within in watching_triggers(connector):
        if within:
            with suppress(ValueError):
                ends = instant(at(shown, within["date"]))
        elif isinstance(trigger.poll, Alarm):
            has_error = has_error or bool(trigger.poll.without_memory([dict(shown)], {}, now))
    trouble: Kind | None = None
    if ends is not None and ends <= now:
        trouble = "consent_over"
    elif has_error:
        trouble = "bank_needs_attention"
    elif ends is not None and ends - now < CONSENT_WARNING:
        trouble = "consent_ending"
    return Bank(id, name, str(shown.get("provider_code") or ""), ends, trouble, error)


def watching_triggers(connector: Connector) -> Iterator[tuple[Trigger, Mapping[str, Any]]]:
    """Yield the triggers that watch bank connections, each with what it declares of a day that comes near."""
    lookup = connector.roles["bank_connection_options"]
    for trigger in connector.triggers.values():
        if trigger.each is not None and trigger.each.lookup == lookup:
            yield trigger, trigger.raw["poll"]["alarm"].get("within") or {}


def banks(connection: Connection, connector: Connector, credential_id: str, now: datetime) -> list[Bank]:
    """Return the bank connections of a credential as they were last shown."""
    return [
        replace(read_bank(connector, state.id, state.shown, now), since=state.since, seen_at=state.seen_at)
        for state in bank_states.listed(connection, credential_id, "connection")
    ]


def old_balances(connection: Connection, connector: Connector, credential_id: str, now: datetime) -> list[OldBalance]:
    """Return the accounts whose money is counted as it was, and not as it is."""
    known = {bank.id: bank for bank in banks(connection, connector, credential_id, now)}
    old = []
    for account in bank_states.listed(connection, credential_id, "account"):
        changed, bank = _changed_at(account), known.get(str(account.shown.get(BANK)))
        is_silent = bank is None and changed is not None and account.seen_at - changed > SILENT
        if is_silent or (bank is not None and bank.is_stopped):
            name = str(account.shown.get("name") or account.id)
            old.append(OldBalance(account.id, name, changed, bank.id if bank is not None else ""))
    return old


def _changed_at(account: BankState) -> datetime | None:
    try:
        return instant(account.shown["updated_at"])
    except (KeyError, ValueError):
        return None


def save_bank(
    connection: Connection, connector: Connector, credential_id: str, id: str, shown: Mapping[str, Any], now: datetime
) -> None:
    """Keep what the service shows of a bank connection."""
    plain = {name: value for name, value in shown.items() if not isinstance(value, list | dict)}
    bank = read_bank(connector, id, plain, now)
    trouble = "" if bank.trouble is None else f"{bank.trouble}:{shown.get('error_class') or shown.get('status') or ''}"
    bank_states.save(connection, credential_id, "connection", id, plain, trouble, now)
