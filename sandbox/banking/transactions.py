"""Handlers for transactions: list by cursor or value date, get one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from heapq import merge
from itertools import chain, islice
from typing import Any

from connector.sandbox import assumptions
from connector.sandbox.banking.accounts import account_for, accounts_for, bank_connection_for
from connector.sandbox.banking.state import BankAccount, Transaction
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.parameters import choice_of, date_of, number_of, text_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World


def list_transactions(world: World, request: Request) -> Any:
    query = request.query
    connection_id, account_id = text_of(query, "connection_id"), text_of(query, "account_id")
    if connection_id is None and account_id is None:
        raise ServiceError(400, "Required parameter connection_id is missing: pass connection_id or account_id.")
    first, last = date_of(query, "from_date"), date_of(query, request.wire.name("transactions.end_date"))
    cursor = number_of(query, "from_id")
    sort = choice_of(query, "sort", ("made_on", "id")) or "made_on"

    accounts = _accounts(world, request, connection_id, account_id)
    selected: Iterable[Transaction] = (
        merge(*(_after(account, cursor) for account in accounts), key=lambda transaction: int(transaction.id))
        if len(accounts) > 1
        else chain.from_iterable(_after(account, cursor) for account in accounts)
    )
    if first is not None or last is not None:
        selected = (
            transaction for transaction in selected if (first or date.min) <= transaction.made_on <= (last or date.max)
        )
    if sort == "made_on":
        # Already ordered by id, and sorting is stable.
        selected = sorted(selected, key=lambda transaction: transaction.made_on)
    return {"data": list(islice(selected, world.settings.page_size))}


def get_transaction(world: World, request: Request) -> Any:
    account_id = text_of(request.query, "account_id")
    if account_id is None:
        raise ServiceError(400, "Required parameter account_id is missing.")
    account = account_for(request.key, world.banking, account_id)
    transaction = find_transaction(account, request.path["id"])
    if transaction is None:
        raise ServiceError(
            assumptions.UNKNOWN_STATUS, f"Transaction {request.path['id']} not found in account {account_id}."
        )
    return {"data": transaction}


def find_transaction(account: BankAccount, transaction_id: str) -> Transaction | None:
    number = number_of({"id": transaction_id}, "id")
    position = account.position_after(number)
    candidate = account.transactions[position - 1] if position else None
    return candidate if candidate and candidate.id == transaction_id else None


def _accounts(world: World, request: Request, connection_id: str | None, account_id: str | None) -> list[BankAccount]:
    if account_id is None:
        return accounts_for(request.key, world.banking, connection_id)
    account = account_for(request.key, world.banking, account_id)
    if connection_id is not None:
        bank_connection_for(request.key, world.banking, connection_id)
        if account.connection_id != connection_id:
            raise ServiceError(
                assumptions.UNKNOWN_STATUS, f"Account {account_id} not found in bank connection {connection_id}."
            )
    return [account]


def _after(account: BankAccount, cursor: int | None) -> Iterator[Transaction]:
    """Iterate over the transactions after the cursor without copying the list."""
    stored = account.transactions
    return (stored[position] for position in range(account.position_after(cursor), len(stored)))
