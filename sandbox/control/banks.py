"""Control routes that let things happen at the banks: transactions, refreshes, failures, payments, broken ledgers."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from msgspec import Meta, Struct

from sandbox.banking import lifecycle
from sandbox.banking.arrivals import arrive, change
from sandbox.banking.demo import MAIN_ACCOUNT
from sandbox.banking.payment_states import move, next_status
from sandbox.banking.payments import shown_payment
from sandbox.banking.state import BankConnection, Payment, RefreshType, TransactionStatus
from sandbox.banking.transactions import find_transaction
from sandbox.control.route import ControlRoute, Order
from sandbox.errors import ServiceError
from sandbox.ledger.access import break_connection

_MOST_DIGITS = 18


class ArrivalOrder(Struct, forbid_unknown_fields=True):
    account_id: str = MAIN_ACCOUNT
    count: Annotated[int, Meta(ge=1, le=200_000)] = 1
    status: TransactionStatus = "posted"
    made_on: date | None = None
    amount: Decimal = Decimal("19.99")
    description: str = "SVWZ+Testumsatz"
    counterparty: str = "Testpartner GmbH"
    duplicated: bool = False
    payment_id: str | None = None


class ChangeOrder(Struct, forbid_unknown_fields=True):
    status: TransactionStatus | None = None
    duplicated: bool | None = None


class RefreshOrder(Struct, forbid_unknown_fields=True):
    transactions: Annotated[int, Meta(ge=0, le=10_000)] = 3
    refresh_type: RefreshType = "automatic"


class ErrorOrder(Struct, forbid_unknown_fields=True):
    error_class: str = "ProviderError"
    error_message: str = "The bank does not answer."


class PaymentOrder(Struct, forbid_unknown_fields=True):
    status: str
    raw_provider_status: str | None = None


class LedgerOrder(Struct, forbid_unknown_fields=True, rename={"code": "break"}):
    code: str | None


def add_transactions(order: Order) -> Any:
    wish, service = order.read(ArrivalOrder), order.service
    account = service.world.banking.accounts.get(wish.account_id)
    if account is None:
        raise ServiceError(404, f"Account {wish.account_id} not found.")
    if not wish.amount.is_finite() or wish.amount.adjusted() > _MOST_DIGITS:
        raise ServiceError(400, "Property amount is not an amount of money.")
    now = service.clock.now()
    arrived = [
        arrive(
            service.world.banking,
            account,
            now,
            made_on=wish.made_on or now.date(),
            amount=wish.amount,
            description=wish.description,
            counterparty=wish.counterparty,
            status=wish.status,
            duplicated=wish.duplicated,
            payment_id=wish.payment_id,
        )
        for _ in range(wish.count)
    ]
    return {"data": arrived}


def change_transaction(order: Order) -> Any:
    wish = order.read(ChangeOrder)
    for account in order.service.world.banking.accounts.values():
        transaction = find_transaction(account, order.path["id"])
        if transaction is not None:
            change(account, transaction, order.service.clock.now(), status=wish.status, duplicated=wish.duplicated)
            return {"data": transaction}
    raise ServiceError(404, f"Transaction {order.path['id']} not found.")


def refresh(order: Order) -> Any:
    wish = order.read(RefreshOrder)
    arrived = lifecycle.refresh(
        order.service.world, _bank(order), order.service.clock.now(), wish.transactions, wish.refresh_type
    )
    return {"data": {"transactions": arrived}}


def error(order: Order) -> Any:
    wish, bank = order.read(ErrorOrder), _bank(order)
    lifecycle.fail(order.service.world, bank, order.service.clock.now(), wish.error_class, wish.error_message)
    return {"data": bank}


def destroy(order: Order) -> Any:
    bank = _bank(order)
    lifecycle.destroy(order.service.world, bank, order.service.clock.now())
    return {"data": {"destroyed": bank.id}}


def expire_consent(order: Order) -> Any:
    bank = _bank(order)
    lifecycle.end_consent(order.service.world, bank, order.service.clock.now())
    return {"data": bank}


def reconnect(order: Order) -> Any:
    bank = _bank(order)
    lifecycle.reconnect(order.service.world, bank, order.service.clock.now())
    return {"data": bank}


def complete(order: Order) -> Any:
    return {"data": lifecycle.complete_connect(order.service.world, _bank(order), order.service.clock.now())}


def step_payment(order: Order) -> Any:
    payment = _payment(order)
    move(order.service.world, payment, next_status(payment), order.service.clock.now())
    return {"data": shown_payment(payment)}


def set_payment(order: Order) -> Any:
    wish, payment = order.read(PaymentOrder), _payment(order)
    move(order.service.world, payment, wish.status, order.service.clock.now(), wish.raw_provider_status)
    return {"data": shown_payment(payment)}


def break_ledger(order: Order) -> Any:
    code = order.read(LedgerOrder).code
    try:
        break_connection(order.service.world.ledger, order.path["id"], code)
    except KeyError:
        raise ServiceError(404, f"Ledger connection {order.path['id']} not found.") from None
    except ValueError as problem:
        raise ServiceError(400, str(problem)) from None
    return {"data": {"id": order.path["id"], "broken": code}}


def _bank(order: Order) -> BankConnection:
    bank = order.service.world.banking.connections.get(order.path["id"])
    if bank is None:
        raise ServiceError(404, f"Bank connection {order.path['id']} not found.")
    return bank


def _payment(order: Order) -> Payment:
    payment = order.service.world.banking.payments.get(order.path["id"])
    if payment is None:
        raise ServiceError(404, f"Payment {order.path['id']} not found.")
    return payment


_BANK = "/sandbox/bank-connections/{id}"
ROUTES = (
    ControlRoute(
        "POST",
        "/sandbox/transactions",
        "let transactions arrive {account_id?, count?, status?, made_on?, amount?, description?, counterparty?, "
        "duplicated?, payment_id?}",
        add_transactions,
    ),
    ControlRoute(
        "POST", "/sandbox/transactions/{id}", "change a transaction {status?, duplicated?}", change_transaction
    ),
    ControlRoute("POST", f"{_BANK}/refresh", "refresh a bank connection {transactions?, refresh_type?}", refresh),
    ControlRoute("POST", f"{_BANK}/error", "let it fail {error_class?, error_message?}", error),
    ControlRoute("POST", f"{_BANK}/destroy", "let it vanish, with its accounts", destroy),
    ControlRoute("POST", f"{_BANK}/expire-consent", "end its consent now", expire_consent),
    ControlRoute("POST", f"{_BANK}/reconnect", "renew its consent", reconnect),
    ControlRoute("POST", f"{_BANK}/complete", "finish the connect flow of a pending_connect row", complete),
    ControlRoute("POST", "/sandbox/payments/{id}/step", "move a payment to its next natural status", step_payment),
    ControlRoute("POST", "/sandbox/payments/{id}", "move a payment {status, raw_provider_status?}", set_payment),
    ControlRoute(
        "POST",
        "/sandbox/ledger-connections/{id}",
        "break a ledger connection {break: one of the ledger error codes | export_403}, or mend it {break: null}",
        break_ledger,
    ),
)
