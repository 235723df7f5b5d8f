"""Adds and changes stored transactions; nothing else modifies them."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from connector.sandbox.banking.sepa import parse_purpose
from connector.sandbox.banking.state import BankAccount, BankingState, Transaction, TransactionExtra, TransactionStatus


def add_transaction(
    banking: BankingState,
    account: BankAccount,
    now: datetime,
    *,
    made_on: date,
    amount: Decimal,
    description: str,
    counterparty: str,
    status: TransactionStatus = "posted",
    duplicated: bool = False,
    payment_id: str | None = None,
    end_to_end_id: str | None = None,
    mode: str = "normal",
    category: str = "uncategorized",
    number: int | None = None,
) -> Transaction:
    """Add a transaction with a new highest id, whatever its `made_on` is, or one that shows late under a lower id."""
    if number is None:
        number = banking.next_transaction_id
        banking.next_transaction_id += 1
    if status == "posted" and not duplicated:
        account.balance += amount
    incoming = amount > 0
    transaction = Transaction(
        id=str(number),
        account_id=account.id,
        payment_id=payment_id,
        duplicated=duplicated,
        mode=mode,
        status=status,
        made_on=made_on,
        amount=amount,
        currency_code=account.currency_code,
        description=description,
        description_parsed=parse_purpose(description),
        category=category,
        extra=TransactionExtra(
            time=now.strftime("%H:%M:%S"),
            payee=account.holder_name if incoming else counterparty,
            payer=counterparty if incoming else account.holder_name,
            additional=mode if mode != "normal" else None,
            merchant_id="4711-NORD" if category == "sales" else None,
            posting_date=made_on if status == "posted" else None,
            end_to_end_id=end_to_end_id,
            payee_information=account.iban if incoming else None,
            payer_information=None if incoming else account.iban,
            account_balance_snapshot=account.balance,
            categorization_confidence=Decimal("0.85"),
        ),
        created_at=now,
        updated_at=now,
    )
    account.transactions.insert(account.position_after(number), transaction)
    account.pending += status == "pending"
    account.updated_at = now
    return transaction


def change_transaction(
    account: BankAccount,
    transaction: Transaction,
    now: datetime,
    *,
    status: TransactionStatus | None = None,
    duplicated: bool | None = None,
) -> None:
    """Change status or duplicate flag of a transaction; its id stays."""
    counted_before = _counted(transaction)
    if status is not None and status != transaction.status:
        account.pending += 1 if status == "pending" else -1
        transaction.status = status
        transaction.extra.posting_date = transaction.made_on if status == "posted" else None
    if duplicated is not None:
        transaction.duplicated = duplicated
    account.balance += _counted(transaction) - counted_before
    transaction.updated_at = account.updated_at = now


def add_random_transactions(
    banking: BankingState, account: BankAccount, now: datetime, count: int
) -> list[Transaction]:
    """Add `count` random card payments, the same for the same world."""
    rng = Random(banking.next_transaction_id)
    return [
        add_transaction(
            banking,
            account,
            now,
            made_on=(now - timedelta(days=rng.choice((0, 0, 0, 1)))).date(),
            amount=Decimal(rng.randint(450, 42_000)).scaleb(-2),
            description=f"SVWZ+Kartenzahlung {rng.randint(100_000, 999_999)} EREF+KZ{rng.randint(10**9, 10**10)}",
            counterparty="Kartenabrechnung Nord",
            category="sales",
        )
        for _ in range(count)
    ]


def _counted(transaction: Transaction) -> Decimal:
    return transaction.amount if transaction.status == "posted" and not transaction.duplicated else Decimal(0)
