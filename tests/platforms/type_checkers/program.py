"""A flow by handlers, as type checkers see it: a payment, a dropdown, what comes in, and errors by their kind."""

from __future__ import annotations

import asyncio
from decimal import Decimal

from connector import Connector, Credential, InputError, KontorError, OutcomeUnknown, RateLimited
from connector.actions import InitiatePayment, ListTransactions
from connector.resources import Payment, Transaction
from connector.triggers import NewTransaction

CREDENTIAL = Credential("https://service.example", "the-key", quelle="python")


def pay(account: str, amount: Decimal) -> Payment | None:
    """Pay once, whatever happens."""
    payment = InitiatePayment(
        account_id=account, creditor_name="Reifen Voss KG", creditor_iban="DE02120300000000202051", amount=amount
    )
    with Connector().open(CREDENTIAL) as kontor:
        labels: list[str] = [option.label for option in kontor.options("bank_accounts", search="Giro")]
        print(labels)
        try:
            return kontor.run(payment, key="run 17, step 3").output
        except InputError as error:
            print(error.field, str(error.remedy))
        except RateLimited as error:
            print(error.retry_at)
        except OutcomeUnknown as error:
            print(error.to_json())
        except KontorError as error:
            print(error.outcome)
        kontor.invoke("get_payment", {"id": "5013"})
    return None


async def watch(account: str) -> Decimal:
    """Add up what comes in."""
    total = Decimal(0)
    async with Connector().open(CREDENTIAL) as kontor:
        known: list[Transaction] = (await kontor.run(ListTransactions(account_id=account))).output.items
        async for row in kontor.watch(NewTransaction(account_id=account)):
            total += row.amount
            if row.id > known[-1].id:
                break
    return total


if __name__ == "__main__":
    pay("8101", Decimal("12.50"))
    asyncio.run(watch("8101"))
