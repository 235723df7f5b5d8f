"""Handlers for bank connections and accounts."""

from __future__ import annotations

from typing import Any

from connector.sandbox.banking.access import accounts_for, bank_connection_for
from connector.sandbox.banking.state import BankAccount, BankConnection
from connector.sandbox.parameters import choice_of, flag_of, text_of
from connector.sandbox.request import Request
from connector.sandbox.world import World

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
