"""Sends the five banking events, with the fields of the service description."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from connector.sandbox.banking.state import BankConnection, Payment, RefreshType
from connector.sandbox.world import Envelope, Outgoing, World

PROGRESS_STATUS = "initiated_info_required"


def refresh_complete(world: World, bank: BankConnection, refresh_type: RefreshType, at: datetime) -> None:
    accounts = [
        {
            "id": account.id,
            "name": account.name,
            "holder_name": account.holder_name,
            "nature": account.nature,
            "balance": account.balance,
            "currency_code": account.currency_code,
            "iban": account.iban,
        }
        for account in world.banking.accounts_of(bank.id)
    ]
    status = "active" if bank.status == "active" else "inactive"
    data = {**_connection_fields(bank), "status": status, "refresh_type": refresh_type, "accounts": accounts}
    _send(world, bank.organization_id, "refresh_complete", data, at)


def connection_error(world: World, bank: BankConnection, refresh_type: RefreshType, at: datetime) -> None:
    data = {
        **_connection_fields(bank),
        "refresh_type": refresh_type,
        "error_class": bank.error_class,
        "error_message": bank.error_message,
    }
    _send(world, bank.organization_id, "connection_error", data, at)


def connection_destroyed(world: World, bank: BankConnection, refresh_type: RefreshType, at: datetime) -> None:
    _send(
        world,
        bank.organization_id,
        "connection_destroyed",
        {**_connection_fields(bank), "refresh_type": refresh_type},
        at,
    )


def payment_changed(world: World, payment: Payment, at: datetime) -> None:
    """Send `payment_progress` when a payment waits for a TAN, else `payment_update`."""
    data: dict[str, Any] = {"payment_id": payment.id, "status": payment.status}
    event = "payment_progress"
    if payment.status != PROGRESS_STATUS:
        event = "payment_update"
        data["raw_provider_status"] = payment.raw_provider_status
        data["template_identifier"] = payment.template_identifier
        data["payment_attributes"] = {
            "amount": f"{payment.amount:f}",
            "currency_code": payment.currency_code,
            "description": payment.description,
            "creditor_iban": payment.creditor_iban,
            "creditor_name": payment.creditor_name,
            "debtor_iban": payment.debtor_iban,
            "end_to_end_id": payment.end_to_end_id,
            "customer_ip_address": payment.customer_ip_address,
        }
    if payment.custom_fields is not None:
        data["custom_fields"] = payment.custom_fields
    _send(world, payment.organization_id, event, data, at)


def _connection_fields(bank: BankConnection) -> dict[str, Any]:
    return {
        "connection_id": bank.id,
        "provider_name": bank.provider_name,
        "provider_code": bank.provider_code,
        "country_code": bank.country_code,
    }


def _send(world: World, organization_id: str, event: str, data: dict[str, Any], at: datetime) -> None:
    envelope = Envelope(event=event, data=data, received_at=at)
    world.outbox.append(Outgoing(organization_id=organization_id, envelope=envelope))
