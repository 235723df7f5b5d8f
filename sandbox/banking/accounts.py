"""Bank connections and accounts: their handlers, and what an API key may see of them."""

from __future__ import annotations

from typing import Any

from connector.sandbox import assumptions
from connector.sandbox.access.api_keys import ApiKey
from connector.sandbox.banking.state import BankAccount, BankConnection, BankingState, Payment
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.parameters import choice_of, flag_of, text_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World


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


_INTERNAL_FIELDS = frozenset({"organization_id", "api", "supports_payments", "pending_token", "return_url"})
_NULLABLE = frozenset({"owner_user_id", "display_name", "error_class", "error_message"})
_PUBLIC_FIELDS = tuple(name for name in BankConnection.__struct_fields__ if name not in _INTERNAL_FIELDS)


def get_bank_connection(world: World, request: Request) -> Any:
    bank = bank_connection_for(request.key, world.banking, request.path["id"])
    fields = {name: getattr(bank, name) for name in _PUBLIC_FIELDS}
    return {"data": {name: value for name, value in fields.items() if value is not None or name in _NULLABLE}}


def list_accounts(world: World, request: Request) -> Any:
    api = choice_of(request.query, "api", ("partner", "openbanking"))
    payments_only = flag_of(request.query, request.wire.name("accounts.payments_only"))
    accounts = accounts_for(request.key, world.banking, text_of(request.query, "connection_id"))
    banks = world.banking.connections
    return {
        "data": [
            account_json(account)
            for account in accounts
            if (api is None or banks[account.connection_id].api == api)
            and (not payments_only or banks[account.connection_id].supports_payments)
        ]
    }


def account_json(account: BankAccount) -> dict[str, Any]:
    return {
        "can_hide": account.can_hide,
        "id": account.id,
        "name": account.name,
        "nature": account.nature,
        "balance": account.balance,
        "currency_code": account.currency_code,
        "created_at": account.created_at,
        "updated_at": account.updated_at,
        "extra": {
            "iban": account.iban,
            "holder_name": account.holder_name,
            "transactions_count": {
                "posted": len(account.transactions) - account.pending,
                "pending": account.pending,
            },
        },
    }
