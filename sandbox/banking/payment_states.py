"""The status transitions of a payment and their effects."""

from __future__ import annotations

from datetime import datetime, timedelta

from connector.sandbox.banking import events
from connector.sandbox.banking.sepa import write_purpose
from connector.sandbox.banking.state import Payment
from connector.sandbox.banking.transaction_store import add_transaction
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.world import World

STATUS_ORDER = (
    "initiated",
    "initiated_info_required",
    "authorizing",
    "authorized",
    "processing",
    "executed",
    "settled",
)
FAILURES = ("failed", "rejected")
FINAL = frozenset({"settled", *FAILURES})

# A SEPA transfer requires a TAN and is executed before it settles; an instant one does neither.
# `authorized` belongs to dated transfers, which only the control interface creates.
_USUAL_PATH = {
    "SEPA": ("initiated", "initiated_info_required", "authorizing", "processing", "executed", "settled"),
    "SEPA_INSTANT": ("initiated", "authorizing", "processing", "settled"),
}
_BANK_CODES = {
    "authorizing": "RCVD",
    "authorized": "ACTC",
    "processing": "ACSP",
    "executed": "ACSC",
    "settled": "ACCC",
    "failed": "CANC",
    "rejected": "RJCT",
}
_SECONDS_IN_STATUS = {
    "initiated": 3,
    "initiated_info_required": 8,
    "authorizing": 10,
    "authorized": 20,
    "processing": 30,
    "executed": 45,
}


def may_follow(current: str, candidate: str) -> bool:
    if current in FINAL:
        return False
    return candidate in FAILURES or (
        candidate in STATUS_ORDER and STATUS_ORDER.index(candidate) > STATUS_ORDER.index(current)
    )


def next_status(payment: Payment) -> str:
    """Return the next status of a payment without failures."""
    if payment.status in FINAL:
        raise ServiceError(409, f"Payment {payment.id} is {payment.status}, which is final.")
    return next(status for status in _USUAL_PATH[payment.template_identifier] if may_follow(payment.status, status))


def bank_code(status: str) -> str | None:
    return _BANK_CODES.get(status)


def set_status(
    world: World, payment: Payment, status: str, at: datetime, raw_provider_status: str | None = None
) -> None:
    """Set the status of a payment; send the event, settle the credits and add the transaction."""
    if not may_follow(payment.status, status):
        raise ServiceError(409, f"Payment {payment.id} is {payment.status}; {status} cannot follow.")
    payment.status = status
    payment.raw_provider_status = raw_provider_status or bank_code(status)
    payment.updated_at = at
    if status in FINAL and payment.reservation is not None:
        if status == "settled":
            world.credits.confirm(payment.reservation)
        else:
            world.credits.expire(payment.reservation)
        payment.reservation = None
    if status == "settled":
        _add_settled_transaction(world, payment, at)
    events.payment_changed(world, payment, at)
    schedule_next_step(world, payment, at)


def schedule_next_step(world: World, payment: Payment, at: datetime) -> None:
    if payment.automatic and payment.status not in FINAL:
        world.timers.add(at + timedelta(seconds=_SECONDS_IN_STATUS[payment.status]), "payment_step", payment.id)


def _add_settled_transaction(world: World, payment: Payment, at: datetime) -> None:
    account = world.banking.accounts.get(payment.account_id)
    if account is None:  # the bank connection was destroyed meanwhile
        return
    add_transaction(
        world.banking,
        account,
        at,
        made_on=at.date(),
        amount=-payment.amount,
        description=write_purpose(svwz=payment.description, eref=payment.end_to_end_id),
        counterparty=payment.creditor_name,
        payment_id=payment.id,
        end_to_end_id=payment.end_to_end_id,
        mode="transfer",
        category="transfer",
    )
