"""What was paid to a payee before, from the free list of payments, and how a payment differs from the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from connector.core.manifest.model import Action
from connector.core.service_facts import payment_states
from connector.core.values.dates import instant
from connector.core.writes.payees import Payee
from connector.core.writes.policy import plain_payee
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box
from connector.runtime.connector import Connector
from connector.runtime.writes.policy_check import paid_in

LIST_ROLE = "payment_list"
"""Of the action that lists payments; it is asked only where it is free."""


@dataclass(frozen=True, slots=True)
class PastPayment:
    """An earlier payment to the payee."""

    at: datetime | None
    row: Mapping[str, Any]
    """The payment as the service shows it; its fields have the names of the inputs."""

    @property
    def succeeded(self) -> bool:
        """Whether it was settled."""
        return self.row.get("status") in payment_states().succeeded


async def listed_payments(connector: Connector, calls: PageCalls) -> list[Mapping[str, Any]] | None:
    """Return the payments that the service lists; None where it is not asked."""
    action = connector.action_for(LIST_ROLE)
    output = None if action.cost.credits else await calls.output(action.id, {})
    rows = output.get("items") if isinstance(output, Mapping) else None
    return None if rows is None else [row for row in rows if isinstance(row, Mapping)]


def payments_to(
    connector: Connector, listed: Sequence[Mapping[str, Any]] | None, payee: str
) -> tuple[PastPayment, ...] | None:
    """Return those of the listed payments that went to an IBAN, the newest first; None where none were listed."""
    payer = next((one for one in connector.actions.values() if one.money is not None), None)
    if listed is None or payer is None or payer.money is None:
        return None
    name = payer.money.payee
    paid = [PastPayment(_moment(row), row) for row in listed if plain_payee(str(row.get(name) or "")) == payee]
    return tuple(sorted(paid, key=lambda one: one.at.timestamp() if one.at else 0.0, reverse=True))


def payees_of(action: Action, listed: Sequence[Mapping[str, Any]] | None) -> list[Payee]:
    """Return whom the listed payments have reached, the newest first."""
    return [] if listed is None or action.money is None else [payee for _, payee in paid_in(listed, action.money)]


def differences(action: Action, inputs: Mapping[str, Any], past: PastPayment) -> list[tuple[str, Any, Any]]:
    """Return the inputs that differ from an earlier payment: field, then, now. What that does not show is left out."""
    found = []
    for field in action.inputs:
        then, now = past.row.get(field.name), inputs.get(field.name)
        if field.type in {"object", "list"} or then in (None, "") or now in (None, "") or _same(then, now):
            continue
        found.append((field.name, then, now))
    return found


def _same(then: Any, now: Any) -> bool:
    if isinstance(then, int | Decimal) and isinstance(now, int | Decimal):
        return Decimal(then) == Decimal(now)
    return "".join(str(then).split()).casefold() == "".join(str(now).split()).casefold()


def _moment(row: Mapping[str, Any]) -> datetime | None:
    try:
        return instant(str(row["created_at"]))
    except (KeyError, ValueError):
        return None


def show_past(page: Page, action: Action, inputs: Mapping[str, Any], past: Sequence[PastPayment]) -> None:
    """Say that it is the first payment to the payee, or how it differs from the last one."""
    localize = page.localize
    if not past:
        TextWidget("p", localize("payee_new"), "notice warn")
        return
    last = past[0]
    at = localize.date_time(last.at) if last.at else ""
    changed = differences(action, inputs, last)
    if not changed:
        TextWidget("p", localize("payee_same", at=at), "quiet")
        return
    names = {name for name, _, _ in changed}
    before, now = (
        {fact.name: fact for fact in input_facts(action.inputs, values, localize).facts}
        for values in (last.row, inputs)
    )
    is_renamed = action.money is not None and action.money.payee_name in names
    with box("notice warn" if is_renamed else "notice"):
        TextWidget("strong", localize("payee_changed", at=at))
        with box("", "ul"):
            for name in (field.name for field in action.inputs if field.name in names):
                fact, then = now[name], before[name]
                TextWidget("li", localize("payee_difference", label=fact.label, then=then.value, now=fact.value))
