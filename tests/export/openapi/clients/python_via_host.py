"""A flow by the client that openapi-python-client generates of a host's description."""

from __future__ import annotations

import json
import sys
from datetime import date

from kontor_client import AuthenticatedClient
from kontor_client.api.banking import (
    options_bank_accounts,
    poll_new_payment,
    run_initiate_payment,
    run_list_payments,
    run_list_transactions,
)
from kontor_client.models import (
    ActionInitiatePaymentAnswer,
    ActionInitiatePaymentInputs,
    ActionListPaymentsAnswer,
    ActionListTransactionsAnswer,
    ActionListTransactionsInputs,
    ActionListTransactionsInputsSort,
    OptionsAnswer,
    OptionsBankAccountsBody,
    PollNewPaymentBody,
    Problem,
    RunInitiatePaymentBody,
    RunListPaymentsBody,
    RunListTransactionsBody,
    TriggerNewPaymentAnswer,
)


def flow(url: str, token: str, key: str, account: str, days: str) -> dict[str, object]:
    """A payment, made once, found in the list, and refused when its amount makes no sense; and rows since some days."""
    client = AuthenticatedClient(base_url=url, token=token, headers={"x-api-key": key})
    accounts = options_bank_accounts.sync(client=client, body=OptionsBankAccountsBody())
    assert isinstance(accounts, OptionsAnswer), accounts
    inputs = ActionInitiatePaymentInputs(
        account_id=accounts.options[0].value,
        creditor_name="Reifen Voss KG",
        creditor_iban="DE02120300000000202051",
        amount=297.5,
    )
    ids = set()
    for _ in range(2):
        paid = run_initiate_payment.sync(client=client, body=RunInitiatePaymentBody(inputs=inputs, key="17-3"))
        assert isinstance(paid, ActionInitiatePaymentAnswer), paid
        ids.add(paid.output.id)
    listed = run_list_payments.sync(client=client, body=RunListPaymentsBody())
    assert isinstance(listed, ActionListPaymentsAnswer), listed
    polled = poll_new_payment.sync(client=client, body=PollNewPaymentBody())
    assert isinstance(polled, TriggerNewPaymentAnswer), polled
    inputs.amount = -1
    refused = run_initiate_payment.sync(client=client, body=RunInitiatePaymentBody(inputs=inputs))
    assert isinstance(refused, Problem), refused
    every = ActionListTransactionsInputs(account_id=account, sort=ActionListTransactionsInputsSort.ID)
    for day in days.split(","):
        since = ActionListTransactionsInputs(account_id=account, from_date=date.fromisoformat(day))
        run_list_transactions.sync(client=client, body=RunListTransactionsBody(inputs=since))
    rows = run_list_transactions.sync(client=client, body=RunListTransactionsBody(inputs=every))
    assert isinstance(rows, ActionListTransactionsAnswer), rows
    newest = rows.output.items[-1]
    return {
        "newest": [newest.id, newest.amount, str(newest.made_on)],
        "ids": sorted(str(id) for id in ids),
        "listed": [str(payment.id) for payment in listed.output.items],
        "cursor": polled.cursor,
        "field": refused.field,
        "remedy": refused.remedy.en,
    }


if __name__ == "__main__":
    print(json.dumps(flow(*sys.argv[1:])))
