"""What the API shows of the subject of an event, and the event's data made from it. Pure.

Compares an event's claim with the payment that the API shows, and builds the event's data from it. Pure.

Builds the data of events about bank connections from what the API shows. Pure.

Of the event itself only words are kept that the service's description lists: nothing that a forger could have written.
What the API never shows stands apart, under a name that says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any

from connector.core import service_facts
from connector.core.data.events import unconfirmed
from connector.core.service_facts import payment_states
from connector.core.writes.marks import digest

ATTRIBUTES = ("currency_code", "description", "creditor_iban", "creditor_name", "debtor_iban", "end_to_end_id")


class Absent(Enum):
    """Why there is no payment to compare a claim with."""

    NOT_THERE = "the API knows no such payment"
    NOT_LISTED = "it is not in the list, which may lag behind"
    OUT_OF_REACH = "the API does not let this credential see it"


PaymentOrAbsence = Mapping[str, Any] | Absent


class Verdict(Enum):
    """The result of comparing a claim with the API."""

    TRUE = "the payment has this status, or has gone on from it"
    NOT_YET = "the payment is not that far, or not there yet"
    FALSE = "the payment took another end"
    OUT_OF_REACH = "nobody can tell"


def check_claim(claimed: str, shown: PaymentOrAbsence) -> Verdict:
    """Compare a claimed status with what the API shows."""
    if shown is Absent.OUT_OF_REACH:
        return Verdict.OUT_OF_REACH
    if isinstance(shown, Absent):
        return Verdict.NOT_YET
    status = shown.get("status")
    if status == claimed:
        return Verdict.TRUE
    states = payment_states()
    if status in states.final:  # a final status other than the claimed one
        return Verdict.FALSE if claimed in states.final else Verdict.TRUE
    last = max(states.rank.values())
    return Verdict.TRUE if states.rank.get(str(status), 0) >= states.rank.get(claimed, last) else Verdict.NOT_YET


def payment_data(payment: Mapping[str, Any], claimed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the data of a payment event, built from the API's payment alone.

    Nothing of the event is passed on as true: a forged one with a real payment's id could carry anything. Of `claimed`
    the spelling of an equal amount is kept, and apart from the rest what only events say.
    """
    status = str(payment.get("status"))
    data: dict[str, Any] = {"payment_id": payment.get("id"), "status": status}
    if "custom_fields" in payment:
        data["custom_fields"] = payment["custom_fields"]
    if status in payment_states().needs_person:
        return data
    for name in ("raw_provider_status", "template_identifier"):
        if name in payment:
            data[name] = payment[name]
    attributes = _attributes(payment, (claimed or {}).get("payment_attributes"))
    if attributes:
        data["payment_attributes"] = attributes
    return {**data, **unconfirmed(service_facts.claims(service_facts.name_of_state(status)), claimed or {})}


def item_id(payment: Mapping[str, Any]) -> str:
    """Return the id of a payment event's item: every payment tells each status once."""
    return f"{payment['id']}:{payment['status']}"


def _attributes(payment: Mapping[str, Any], claimed: Any) -> dict[str, Any]:
    attributes = {name: payment[name] for name in ATTRIBUTES if name in payment}
    if "amount" in payment:
        written = claimed.get("amount") if isinstance(claimed, dict) else None
        attributes["amount"] = _amount_text(payment["amount"], written)
    return attributes


def _amount_text(amount: Any, claimed: Any) -> str:
    """Return the amount as text, as events carry it: the event's own if equal, otherwise with at least two decimals."""
    number = Decimal(str(amount))
    try:
        if isinstance(claimed, str) and Decimal(claimed) == number:
            return claimed
    except InvalidOperation:
        pass
    exponent = number.as_tuple().exponent
    return f"{number:.2f}" if isinstance(exponent, int) and exponent > -2 else f"{number:f}"


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
    if service_facts.says_gone(event):
        return facts.shown is None and facts.former is not None
    if facts.shown is None:
        return False
    well = service_facts.well_status(event)
    return well is None or bool(facts.shown.get("error_class")) or facts.shown.get("status") not in (well, "", None)


def state_of(event: str, id: str, facts: BankConnectionFacts) -> str:
    """Return a digest of what the API shows and the event tells: one state is told once."""
    if service_facts.says_gone(event):
        return digest(id, dict(facts.former or {}))
    accounts = [dict(account) for account in facts.accounts or ()] if service_facts.brings_news(event) else []
    return digest(id, {"bank_connection": dict(facts.shown or {}), "accounts": accounts})


def bank_connection_data(event: str, id: str, facts: BankConnectionFacts, claimed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an event that the API confirms."""
    source = facts.shown if facts.shown is not None else facts.former or {}
    data = {"connection_id": id, **{name: source[name] for name in service_facts.shown(event) if name in source}}
    account = service_facts.accounts(event)
    if account and facts.accounts is not None:
        data["accounts"] = [_account(entry, account) for entry in facts.accounts]
    for name, words in service_facts.words(event).items():
        if name not in data and claimed.get(name) in words:
            data[name] = claimed[name]
    return data


def _account(shown: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    extra = shown.get("extra")
    merged = {**(extra if isinstance(extra, Mapping) else {}), **shown}
    return {name: merged[name] for name in names if name in merged}
