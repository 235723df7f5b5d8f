"""The banking area: bank connections, bank accounts, transactions and payments."""

from __future__ import annotations

from typing import Annotated, Any

from connector.core.resources.model import Given, Known, Number, Resource
from connector.core.values.dates import DayText, InstantText
from connector.core.values.ids import Id, UuidText
from connector.core.values.money import Money

BankConnectionStatus = Annotated[str, Known(("active", "inactive", "disabled", "pending", "pending_connect"))]
PaymentStatus = Annotated[
    str,
    Known(
        (
            "initiated",
            "initiated_info_required",
            "authorizing",
            "authorized",
            "processing",
            "executed",
            "settled",
            "failed",
            "rejected",
        )
    ),
]
TransactionStatus = Annotated[str, Known(("posted", "pending"))]
TemplateIdentifier = Annotated[str, Known(("SEPA", "SEPA_INSTANT"))]


class BankConnection(Resource):
    """A user's access to one bank."""

    id: Given[Id] = None
    provider_name: Given[str] = None
    provider_code: Given[str] = None
    country_code: Given[str] = None
    status: Given[BankConnectionStatus] = None
    owner_user_id: UuidText | None = None
    automatic_refresh: Given[bool] = None
    next_refresh_possible_at: Given[InstantText] = None
    created_at: Given[InstantText] = None
    updated_at: Given[InstantText] = None
    display_name: str | None = None
    logo_url: Given[str] = None
    consent_expires_at: Given[InstantText] = None
    error_class: str | None = None
    error_message: str | None = None


class TransactionsCount(Resource):
    """How many transactions a bank account has."""

    posted: Given[int] = None
    pending: Given[int] = None


class BankAccountExtra(Resource):
    """What the bank adds to a bank account."""

    iban: Given[str] = None
    holder_name: Given[str] = None
    transactions_count: Given[TransactionsCount] = None


class BankAccount(Resource):
    """One account behind a bank connection."""

    can_hide: Given[bool] = None
    id: Given[Id] = None
    name: Given[str] = None
    nature: Given[str] = None
    balance: Given[Money] = None
    currency_code: Given[str] = None
    created_at: Given[InstantText] = None
    updated_at: Given[InstantText] = None
    extra: Given[BankAccountExtra] = None


class ParsedDescription(Resource):
    """The SEPA fields found in a transaction's purpose text."""

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


class TransactionExtra(Resource):
    """What the bank adds to a transaction."""

    time: Given[str] = None
    payee: Given[str] = None
    payer: Given[str] = None
    additional: Given[str] = None
    merchant_id: Given[Id] = None
    posting_date: Given[DayText] = None
    end_to_end_id: Given[str] = None
    payee_information: Given[str] = None
    payer_information: Given[str] = None
    account_balance_snapshot: Given[Money] = None
    categorization_confidence: Given[Number] = None


class Transaction(Resource):
    """One movement on a bank account. Its id is the cursor: each newly ingested transaction gets a higher one."""

    id: Given[Id] = None
    account_id: Given[Id] = None
    payment_id: Given[Id] = None
    duplicated: Given[bool] = None
    mode: Given[str] = None
    status: Given[TransactionStatus] = None
    made_on: Given[DayText] = None
    amount: Given[Money] = None
    currency_code: Given[str] = None
    description: Given[str] = None
    description_parsed: Given[ParsedDescription] = None
    category: Given[str] = None
    extra: Given[TransactionExtra] = None
    created_at: Given[InstantText] = None
    updated_at: Given[InstantText] = None


class Payment(Resource):
    """One payment that was initiated through the service."""

    id: Given[Id] = None
    organization_id: Given[UuidText] = None
    status: Given[PaymentStatus] = None
    raw_provider_status: str | None = None
    connection_id: Given[Id] = None
    account_id: Given[Id] = None
    provider_code: Given[str] = None
    provider_name: Given[str] = None
    template_identifier: Given[TemplateIdentifier] = None
    amount: Given[Money] = None
    currency_code: Given[str] = None
    creditor_name: Given[str] = None
    creditor_iban: Given[str] = None
    debtor_iban: Given[str] = None
    end_to_end_id: Given[str] = None
    description: Given[str] = None
    reference: Given[str] = None
    created_at: Given[InstantText] = None
    updated_at: Given[InstantText] = None
    custom_fields: Given[dict[str, Any]] = None
