"""Handlers for payments: list, get, create."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from connector.sandbox import assumptions
from connector.sandbox.access.api_keys import ApiKey
from connector.sandbox.banking import events
from connector.sandbox.banking.accounts import account_for, bank_connection_for, payment_for
from connector.sandbox.banking.payment_states import schedule_next_step
from connector.sandbox.banking.sepa import is_iban
from connector.sandbox.banking.state import BankAccount, BankingState, Payment, Template
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.parameters import choice_of, date_of, number_of, object_of, string_in, text_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

ALL = "__all__"
_INTERNAL_FIELDS = frozenset({"custom_fields", "customer_ip_address", "reservation", "automatic"})
_PUBLIC_FIELDS = tuple(name for name in Payment.__struct_fields__ if name not in _INTERNAL_FIELDS)
_SEPA_TEXT = 140
_SEPA_NAME = 70
_SEPA_ID = 35


def payment_json(payment: Payment) -> dict[str, Any]:
    fields = {name: getattr(payment, name) for name in _PUBLIC_FIELDS}
    fields = {name: value for name, value in fields.items() if value is not None or name == "raw_provider_status"}
    if payment.custom_fields is not None:
        fields["custom_fields"] = payment.custom_fields
    return fields


def list_payments(world: World, request: Request) -> Any:
    query, name = request.query, request.wire.name
    sort = choice_of(query, "sort", ("date", "id")) or "date"
    first, last = date_of(query, name("payments.created_from")), date_of(query, name("payments.created_to"))
    cursor, limit = number_of(query, "from_id"), number_of(query, name("payments.limit"))
    connection_id = _one_or_all(text_of(query, name("payments.connection")))
    account_id = _one_or_all(text_of(query, name("payments.account")))
    if connection_id is not None:
        bank_connection_for(request.key, world.banking, connection_id)
    if account_id is not None:
        account_for(request.key, world.banking, account_id)

    payments = [
        payment
        for payment in _listed(world, request)
        if (connection_id is None or payment.connection_id == connection_id)
        and (account_id is None or payment.account_id == account_id)
        and (first or date.min) <= payment.created_at.date() <= (last or date.max)
    ]
    if sort == "date":
        payments.sort(key=lambda payment: (payment.created_at, int(payment.id)), reverse=True)
    else:
        payments = sorted(
            (payment for payment in payments if cursor is None or int(payment.id) > cursor),
            key=lambda payment: int(payment.id),
        )
    page = min((size for size in (limit, world.settings.payments_page_size) if size is not None), default=None)
    return {"data": [_list_json(payment, world) for payment in payments[:page]]}


def get_payment(world: World, request: Request) -> Any:
    return {"data": payment_json(payment_for(request.key, world.banking, request.path["id"]))}


def create_payment(world: World, request: Request) -> Any:
    """Create a payment; its credits stay reserved until it is settled or fails."""
    body, names = object_of(request.body), request.wire.payment_body
    account = account_for(request.key, world.banking, string_in(body, names["account_id"]))
    bank = world.banking.connections[account.connection_id]
    if not bank.supports_payments or bank.status != "active":
        raise ServiceError(
            400, f"Account {account.id} cannot initiate payments: its bank connection does not allow it."
        )
    payment = Payment(
        id=str(world.banking.next_payment_id),
        organization_id=bank.organization_id,
        status="initiated",
        raw_provider_status=None,
        connection_id=bank.id,
        account_id=account.id,
        provider_code=bank.provider_code,
        provider_name=bank.provider_name,
        template_identifier=_template(body, names["template_identifier"]),
        amount=_amount(body, names["amount"]),
        currency_code=_currency(body, names["currency_code"], account),
        creditor_name=string_in(body, names["creditor_name"], max_length=_SEPA_NAME),
        creditor_iban=_iban(body, names["creditor_iban"]),
        debtor_iban=account.iban,
        end_to_end_id=string_in(body, names["end_to_end_id"], default="NOTPROVIDED", max_length=_SEPA_ID),
        description=string_in(body, names["description"], default="", max_length=_SEPA_TEXT),
        reference=string_in(body, names["reference"], default="", max_length=_SEPA_TEXT),
        created_at=request.now,
        updated_at=request.now,
        custom_fields=_custom_fields(body, names["custom_fields"]),
        customer_ip_address=request.client_ip,
        reservation=request.reservation,
        automatic=world.settings.auto_payments,
    )
    world.banking.next_payment_id += 1
    world.banking.payments[payment.id] = payment
    events.payment_changed(world, payment, request.now)
    schedule_next_step(world, payment, request.now)
    return {"data": payment_json(payment)}


def _listed(world: World, request: Request) -> list[Payment]:
    """Return the caller's payments, without those that a lagging list does not show yet."""
    until = request.now - timedelta(seconds=world.settings.payments_lag)
    return [payment for payment in _visible(world.banking, request.key) if payment.created_at <= until]


def _list_json(payment: Payment, world: World) -> dict[str, Any]:
    fields = payment_json(payment)
    if world.settings.payments_hide_custom_fields:
        fields.pop("custom_fields", None)
    return fields


def _visible(banking: BankingState, key: ApiKey) -> list[Payment]:
    return [
        payment
        for payment in banking.payments.values()
        if payment.organization_id == key.organization_id and key.can_access(payment.account_id)
    ]


def _one_or_all(value: str | None) -> str | None:
    return None if value == ALL else value


def _template(body: dict[str, Any], name: str | None) -> Template:
    value = string_in(body, name, default="SEPA")
    if value == "SEPA":
        return "SEPA"
    if value == "SEPA_INSTANT":
        return "SEPA_INSTANT"
    raise ServiceError(400, f"Property {name} must be SEPA or SEPA_INSTANT.")


def _amount(body: dict[str, Any], name: str | None) -> Decimal:
    value = body.get(name) if name else None
    if value is None:
        raise ServiceError(400, f"Required property {name} is missing.")
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ServiceError(400, f"Property {name} must be a number.")
    amount = Decimal(value)
    if not 0 < amount <= assumptions.MAX_AMOUNT:
        raise ServiceError(400, f"Property {name} must be greater than 0 and at most {assumptions.MAX_AMOUNT}.")
    if amount != round(amount, 2):
        raise ServiceError(400, f"Property {name} must have at most two decimals.")
    return amount


def _currency(body: dict[str, Any], name: str | None, account: BankAccount) -> str:
    value = string_in(body, name, default="EUR")
    if value != "EUR" or account.currency_code != "EUR":
        raise ServiceError(400, f"Property {name} must be EUR: SEPA payments know no other currency.")
    return value


def _iban(body: dict[str, Any], name: str | None) -> str:
    value = string_in(body, name).replace(" ", "").upper()
    if not is_iban(value):
        raise ServiceError(400, f"Property {name} is not a valid IBAN.")
    return value


def _custom_fields(body: dict[str, Any], name: str | None) -> dict[str, Any] | None:
    value = body.get(name) if name else None
    if value is not None and not isinstance(value, dict):
        raise ServiceError(400, f"Property {name} must be an object.")
    return value
