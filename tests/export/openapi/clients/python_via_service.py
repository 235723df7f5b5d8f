"""A flow by the client that openapi-python-client generates of the service's description."""

from __future__ import annotations

import json
import sys
from datetime import date

from kontor_client import AuthenticatedClient
from kontor_client.api.banking import get_webhook_url, initiate_payment, list_bank_accounts, list_transactions
from kontor_client.models import (
    AnswerInitiatePayment,
    AnswerListBankAccounts,
    AnswerListTransactions,
    ErrorBody,
    InitiatePaymentBody,
    ListTransactionsSort,
    Payment,
)


def flow(url: str, key: str, account: str, days: str) -> dict[str, object]:
    """A payment from the first account, and one that the service refuses; and rows since some days."""
    client = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="x-api-key")
    accounts = list_bank_accounts.sync(client=client)
    assert isinstance(accounts, AnswerListBankAccounts), accounts
    debited = accounts.data[0].id
    assert isinstance(debited, str)
    body = InitiatePaymentBody(
        account_id=debited, creditor_name="Reifen Voss KG", creditor_iban="DE02120300000000202051", amount=297.5
    )
    answer = initiate_payment.sync(client=client, body=body)
    paid = answer.data if isinstance(answer, AnswerInitiatePayment) else answer
    assert isinstance(paid, Payment), paid
    body.amount = -1
    refused = initiate_payment.sync(client=client, body=body)
    assert isinstance(refused, ErrorBody), refused
    address = get_webhook_url.sync_detailed(client=client)
    for day in days.split(","):
        list_transactions.sync(client=client, account_id=account, from_date=date.fromisoformat(day))
    rows = list_transactions.sync(client=client, account_id=account, sort=ListTransactionsSort.ID)
    assert isinstance(rows, AnswerListTransactions), rows
    newest = rows.data[-1]
    return {
        "newest": [newest.id, newest.amount, str(newest.made_on)],
        "ids": [str(paid.id)],
        "amount": paid.amount,
        "status": address.status_code,
    }


if __name__ == "__main__":
    print(json.dumps(flow(*sys.argv[1:])))
