"""Finds bank connections, accounts and payments for an API key; raises outside its scope."""

from __future__ import annotations

from connector.sandbox import assumptions
from connector.sandbox.api_keys import ApiKey
from connector.sandbox.banking.state import BankAccount, BankConnection, BankingState, Payment
from connector.sandbox.errors import ServiceError


def bank_connection_for(key: ApiKey, banking: BankingState, connection_id: str) -> BankConnection:
    bank = banking.connections.get(connection_id)
    if bank is None or bank.organization_id != key.organization_id:
        raise ServiceError(assumptions.UNKNOWN_STATUS, f"Bank connection {connection_id} not found.")
    accounts = banking.accounts_of(connection_id)
    if key.scope is not None and not any(key.can_access(account.id) for account in accounts):
        raise ServiceError(
            assumptions.OUT_OF_SCOPE_STATUS, f"This API key's scope does not include bank connection {connection_id}."
        )
    return bank


def account_for(key: ApiKey, banking: BankingState, account_id: str) -> BankAccount:
    account = banking.accounts.get(account_id)
    if account is None or banking.connections[account.connection_id].organization_id != key.organization_id:
        raise ServiceError(assumptions.UNKNOWN_STATUS, f"Account {account_id} not found.")
    key.check_access(account_id)
    return account


def accounts_for(key: ApiKey, banking: BankingState, connection_id: str | None = None) -> list[BankAccount]:
    """Return the accounts in the key's scope, of the organisation or of one bank connection."""
    if connection_id is not None:
        bank_connection_for(key, banking, connection_id)
    return [
        account
        for account in banking.accounts.values()
        if (connection_id is None or account.connection_id == connection_id)
        and banking.connections[account.connection_id].organization_id == key.organization_id
        and key.can_access(account.id)
    ]


def payment_for(key: ApiKey, banking: BankingState, payment_id: str) -> Payment:
    payment = banking.payments.get(payment_id)
    if payment is None or payment.organization_id != key.organization_id:
        raise ServiceError(assumptions.UNKNOWN_STATUS, f"Payment {payment_id} not found.")
    key.check_access(payment.account_id)
    return payment
