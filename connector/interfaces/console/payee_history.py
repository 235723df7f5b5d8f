"""What was paid to a payee before, from the free list of payments, and how a payment differs from the last one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from connector.core.manifest.model import Action
from connector.core.payment_states import payment_states
from connector.core.policy import plain_payee
from connector.core.values.dates import instant
from connector.interfaces.console.console_context import ConsoleContext
from connector.runtime.session import KONTOR

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


async def payments_to(console: ConsoleContext, payee: str) -> tuple[PastPayment, ...]:
    """Return the payments to an IBAN, the newest first."""
    connector = console.connector
    action = connector.action_for(LIST_ROLE)
    payer = next((one for one in connector.actions.values() if one.money is not None), None)
    if action.cost.credits or payer is None or payer.money is None:
        return ()
    found = await (await console.session("viewer")).invoke(action.id, {}, invoker=KONTOR)
    rows = found.output.get("items") if isinstance(found.output, Mapping) else None
    name = payer.money.payee
    paid = [
        PastPayment(_moment(row), row)
        for row in rows or ()
        if isinstance(row, Mapping) and plain_payee(str(row.get(name) or "")) == payee
    ]
    return tuple(sorted(paid, key=lambda one: one.at.timestamp() if one.at else 0.0, reverse=True))


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
