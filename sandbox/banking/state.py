"""The stored data of the banking area."""

from __future__ import annotations

from bisect import bisect_right
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from msgspec import Struct

Api = Literal["partner", "openbanking"]
ConnectionStatus = Literal["active", "inactive", "disabled", "pending", "pending_connect"]
TransactionStatus = Literal["posted", "pending"]
Template = Literal["SEPA", "SEPA_INSTANT"]
RefreshType = Literal["automatic", "manual"]

OWNER_USER = "c4a7a2f0-1b7e-4f0e-8a57-6f0b5f1f7d10"
"""The user who connects banks in the sandbox."""


CONNECT_MINUTES = 15
"""An unfinished connect flow is removed after this many minutes."""


class BankConnection(Struct, kw_only=True):
    id: str
    organization_id: str
    provider_name: str | None = None
    provider_code: str | None = None
    country_code: str | None = None
    status: ConnectionStatus
    owner_user_id: str | None = None
    automatic_refresh: bool = False
    next_refresh_possible_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    display_name: str | None = None
    logo_url: str | None = None
    consent_expires_at: datetime | None = None
    error_class: str | None = None
    error_message: str | None = None
    api: Api = "partner"
    supports_payments: bool = True
    pending_token: str | None = None
    return_url: str | None = None


class ParsedPurpose(Struct, kw_only=True):
    """The SEPA fields of a purpose text."""

    cred: str | None = None
    mref: str | None = None
    kref: str | None = None
    debt: str | None = None
    svwz: str | None = None
    abwa: str | None = None
    abwe: str | None = None
    bic: str | None = None
    oamt: str | None = None
    coam: str | None = None
    purp: str | None = None


class TransactionExtra(Struct, kw_only=True, omit_defaults=True):
    """Unknown fields are omitted: none is described as nullable."""

    time: str
    payee: str | None = None
    payer: str | None = None
    additional: str | None = None
    merchant_id: str | None = None
    posting_date: date | None = None
    end_to_end_id: str | None = None
    payee_information: str | None = None
    payer_information: str | None = None
    account_balance_snapshot: Decimal
    categorization_confidence: Decimal


class Transaction(Struct, kw_only=True, omit_defaults=True):
    """The same fields as in the response, so that lists are encoded without copying."""

    id: str
    account_id: str
    payment_id: str | None = None
    """Omitted without a linked payment: it is not described as nullable."""
    duplicated: bool
    mode: str
    status: TransactionStatus
    made_on: date
    amount: Decimal
    currency_code: str
    description: str
    description_parsed: ParsedPurpose
    category: str
    extra: TransactionExtra
    created_at: datetime
    updated_at: datetime


class BankAccount(Struct, kw_only=True):
    id: str
    connection_id: str
    name: str
    nature: str
    balance: Decimal
    currency_code: str
    iban: str
    holder_name: str
    created_at: datetime
    updated_at: datetime
    can_hide: bool = False
    transactions: list[Transaction] = []
    """Ordered by id, so that a cursor is found by bisection."""
    pending: int = 0
    """The number of pending transactions, for the accounts list."""

    def position_after(self, cursor: int | None) -> int:
        """Return the position of the first transaction with an id above `cursor`."""
        if cursor is None:
            return 0
        if not self.transactions or int(self.transactions[-1].id) <= cursor:  # most are added at the end
            return len(self.transactions)
        return bisect_right(self.transactions, cursor, key=lambda transaction: int(transaction.id))


class Payment(Struct, kw_only=True):
    id: str
    organization_id: str
    status: str
    raw_provider_status: str | None
    connection_id: str
    account_id: str
    provider_code: str | None
    provider_name: str | None
    template_identifier: Template
    amount: Decimal
    currency_code: str
    creditor_name: str
    creditor_iban: str
    debtor_iban: str
    end_to_end_id: str
    description: str
    reference: str
    created_at: datetime
    updated_at: datetime
    custom_fields: dict[str, Any] | None = None
    customer_ip_address: str = ""
    reservation: str | None = None
    """The credit reservation, until the outcome is known."""
    automatic: bool = False
    """Whether the clock advances its status."""


class BankingState(Struct, kw_only=True):
    connections: dict[str, BankConnection] = {}
    accounts: dict[str, BankAccount] = {}
    payments: dict[str, Payment] = {}
    """By id, ordered by id."""
    webhook_urls: dict[str, str] = {}
    """By organisation id."""
    next_transaction_id: int
    next_payment_id: int
    next_row_id: int
    """The last id of bank connections and accounts."""

    def accounts_of(self, connection_id: str) -> list[BankAccount]:
        return [account for account in self.accounts.values() if account.connection_id == connection_id]

    def allocate_row_id(self) -> str:
        self.next_row_id += 7919
        return str(self.next_row_id)
