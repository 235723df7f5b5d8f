"""A flow by the client that openapi-python-client generates of the service's description."""

from __future__ import annotations

import json
import sys

from kontor_client import AuthenticatedClient
from kontor_client.api.banking import get_webhook_url, initiate_payment, list_bank_accounts
from kontor_client.models import (
    AnswerInitiatePayment,
    AnswerListBankAccounts,
    ErrorBody,
    InitiatePaymentBody,
    Payment,
)


def flow(url: str, key: str) -> dict[str, object]:
    """A payment from the first account, and one that the service refuses."""
    client = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="x-api-key")
    accounts = list_bank_accounts.sync(client=client)
    assert isinstance(accounts, AnswerListBankAccounts), accounts
    account = accounts.data[0].id
    assert isinstance(account, str)
    body = InitiatePaymentBody(
        account_id=account, creditor_name="Reifen Voss KG", creditor_iban="DE02120300000000202051", amount=297.5
    )
    answer = initiate_payment.sync(client=client, body=body)
    paid = answer.data if isinstance(answer, AnswerInitiatePayment) else answer
    assert isinstance(paid, Payment), paid
    body.amount = -1
    refused = initiate_payment.sync(client=client, body=body)
    assert isinstance(refused, ErrorBody), refused
    address = get_webhook_url.sync_detailed(client=client)
    return {"ids": [str(paid.id)], "amount": paid.amount, "status": address.status_code}


if __name__ == "__main__":
    print(json.dumps(flow(*sys.argv[1:])))
