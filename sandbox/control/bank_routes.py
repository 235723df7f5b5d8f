"""Control routes for transactions, bank connections, payments and ledger connections."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from msgspec import Meta, Struct

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.banking import lifecycle
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.banking.payment_states import next_status, set_status
from connector.sandbox.banking.payments import create_payment, payment_json
from connector.sandbox.banking.state import BankConnection, BankingState, Payment, RefreshType, TransactionStatus
from connector.sandbox.banking.transaction_store import add_transaction
from connector.sandbox.banking.transaction_store import change_transaction as change_stored_transaction
from connector.sandbox.banking.transactions import find_transaction
from connector.sandbox.control.control_route import ControlRequest, ControlRoute
from connector.sandbox.ledger.access import break_connection
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.routes import Request

_MAX_DIGITS = 18


class AddTransactionsBody(Struct, forbid_unknown_fields=True):
    account_id: str = MAIN_ACCOUNT
    count: Annotated[int, Meta(ge=1, le=200_000)] = 1
    status: TransactionStatus = "posted"
    made_on: date | None = None
    amount: Decimal = Decimal("19.99")
    description: str = "SVWZ+Testumsatz"
    counterparty: str = "Testpartner GmbH"
    duplicated: bool = False
    payment_id: str | None = None
    unseen: Annotated[int, Meta(ge=0, le=1000)] = 0
    """How many ids before this one are given to rows that do not show yet."""
    id: str | None = None
    """The id of one row that shows now: lower than others, out of all order, or the first of a new count."""


class ChangeTransactionBody(Struct, forbid_unknown_fields=True):
    status: TransactionStatus | None = None
    duplicated: bool | None = None


class RefreshBody(Struct, forbid_unknown_fields=True):
    transactions: Annotated[int, Meta(ge=0, le=10_000)] = 3
    refresh_type: RefreshType = "automatic"


class BankErrorBody(Struct, forbid_unknown_fields=True):
    error_class: str = "ProviderError"
    error_message: str = "The bank does not answer."


class AddPaymentsBody(Struct, forbid_unknown_fields=True):
    account_id: str = MAIN_ACCOUNT
    count: Annotated[int, Meta(ge=1, le=10_000)] = 1
    description: str = "Stadtwerke"
    first_id: Annotated[int, Meta(ge=1)] | None = None
    """The id of the first of them; the next payment goes on where the count was."""


class SetPaymentBody(Struct, forbid_unknown_fields=True):
    status: str
    raw_provider_status: str | None = None


class BreakLedgerBody(Struct, forbid_unknown_fields=True, rename={"code": "break"}):
    code: str | None


def add_transactions(request: ControlRequest) -> Any:
    body, service = request.parse(AddTransactionsBody), request.service
    account = service.world.banking.accounts.get(body.account_id)
    if account is None:
        raise ServiceError(404, f"Account {body.account_id} not found.")
    if not body.amount.is_finite() or body.amount.adjusted() > _MAX_DIGITS:
        raise ServiceError(400, "Property amount is not an amount of money.")
    now, banking = service.clock.now(), service.world.banking
    banking.next_transaction_id += body.unseen
    number = None if body.id is None else _unseen_number(banking, body)
    added = [
        add_transaction(
            banking,
            account,
            now,
            made_on=body.made_on or now.date(),
            amount=body.amount,
            description=body.description,
            counterparty=body.counterparty,
            status=body.status,
            duplicated=body.duplicated,
            payment_id=body.payment_id,
            number=number,
        )
        for _ in range(body.count)
    ]
    return {"data": added}


def _unseen_number(banking: BankingState, body: AddTransactionsBody) -> int:
    number = int(body.id) if body.id and body.id.isdecimal() else banking.next_transaction_id
    shown = any(find_transaction(account, str(number)) for account in banking.accounts.values())
    if body.count != 1 or shown:
        raise ServiceError(400, "Property id is not the id of one row that does not show yet.")
    return number


def change_transaction(request: ControlRequest) -> Any:
    body = request.parse(ChangeTransactionBody)
    for account in request.service.world.banking.accounts.values():
        transaction = find_transaction(account, request.path["id"])
        if transaction is not None:
            change_stored_transaction(
                account, transaction, request.service.clock.now(), status=body.status, duplicated=body.duplicated
            )
            return {"data": transaction}
    raise ServiceError(404, f"Transaction {request.path['id']} not found.")


def refresh(request: ControlRequest) -> Any:
    body = request.parse(RefreshBody)
    added = lifecycle.refresh(
        request.service.world, _bank(request), request.service.clock.now(), body.transactions, body.refresh_type
    )
    return {"data": {"transactions": added}}


def error(request: ControlRequest) -> Any:
    body, bank = request.parse(BankErrorBody), _bank(request)
    lifecycle.fail(request.service.world, bank, request.service.clock.now(), body.error_class, body.error_message)
    return {"data": bank}


def destroy(request: ControlRequest) -> Any:
    bank = _bank(request)
    lifecycle.destroy(request.service.world, bank, request.service.clock.now())
    return {"data": {"destroyed": bank.id}}


def expire_consent(request: ControlRequest) -> Any:
    bank = _bank(request)
    lifecycle.end_consent(request.service.world, bank, request.service.clock.now())
    return {"data": bank}


def reconnect(request: ControlRequest) -> Any:
    bank = _bank(request)
    lifecycle.reconnect(request.service.world, bank, request.service.clock.now())
    return {"data": bank}


def complete(request: ControlRequest) -> Any:
    return {"data": lifecycle.complete_connect(request.service.world, _bank(request), request.service.clock.now())}


def add_payments(request: ControlRequest) -> Any:
    """Make payments as another program of the organisation would, past faults and rate limits."""
    body, service = request.parse(AddPaymentsBody), request.service
    values = {
        "account_id": body.account_id,
        "creditor_name": "Stadtwerke Hamburg",
        "creditor_iban": "DE89370400440532013000",
        "amount": Decimal("1.00"),
        "description": body.description,
    }
    names = service.wire.payment_body
    sent = {name: value for field, value in values.items() if (name := names[field]) is not None}
    key = next(key for key in service.world.keys.values() if key.organization_id == ORGANIZATION)
    call = Request(now=service.clock.now(), key=key, wire=service.wire, body=sent)
    banking = service.world.banking
    usual = banking.next_payment_id
    if body.first_id is not None:
        if any(str(body.first_id + place) in banking.payments for place in range(body.count)):
            raise ServiceError(400, "Property first_id leads to an id that is taken.")
        banking.next_payment_id = body.first_id
    payments = [create_payment(service.world, call)["data"] for _ in range(body.count)]
    if body.first_id is not None:
        banking.next_payment_id = usual
    return {"data": payments}


def step_payment(request: ControlRequest) -> Any:
    payment = _payment(request)
    set_status(request.service.world, payment, next_status(payment), request.service.clock.now())
    return {"data": payment_json(payment)}


def set_payment(request: ControlRequest) -> Any:
    body, payment = request.parse(SetPaymentBody), _payment(request)
    set_status(request.service.world, payment, body.status, request.service.clock.now(), body.raw_provider_status)
    return {"data": payment_json(payment)}


def break_ledger(request: ControlRequest) -> Any:
    code = request.parse(BreakLedgerBody).code
    try:
        break_connection(request.service.world.ledger, request.path["id"], code)
    except KeyError:
        raise ServiceError(404, f"Ledger connection {request.path['id']} not found.") from None
    except ValueError as problem:
        raise ServiceError(400, str(problem)) from None
    return {"data": {"id": request.path["id"], "broken": code}}


def _bank(request: ControlRequest) -> BankConnection:
    bank = request.service.world.banking.connections.get(request.path["id"])
    if bank is None:
        raise ServiceError(404, f"Bank connection {request.path['id']} not found.")
    return bank


def _payment(request: ControlRequest) -> Payment:
    payment = request.service.world.banking.payments.get(request.path["id"])
    if payment is None:
        raise ServiceError(404, f"Payment {request.path['id']} not found.")
    return payment


_BANK = "/sandbox/bank-connections/{id}"
ROUTES = (
    ControlRoute(
        "POST",
        "/sandbox/transactions",
        "let transactions arrive {account_id?, count?, status?, made_on?, amount?, description?, counterparty?, "
        "duplicated?, payment_id?, unseen?, id?}",
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
    ControlRoute(
        "POST",
        "/sandbox/payments",
        "let another program of the organisation pay {count?, account_id?, description?}",
        add_payments,
    ),
    ControlRoute("POST", "/sandbox/payments/{id}/step", "move a payment to its next natural status", step_payment),
    ControlRoute("POST", "/sandbox/payments/{id}", "move a payment {status, raw_provider_status?}", set_payment),
    ControlRoute(
        "POST",
        "/sandbox/ledger-connections/{id}",
        "break a ledger connection {break: one of the ledger error codes | export_403}, or mend it {break: null}",
        break_ledger,
    ),
)
