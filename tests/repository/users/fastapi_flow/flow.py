"""A flow of a user of Kontor: an endpoint that pays an invoice once, whoever asks however often."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel

from connector import Connector, InputError, OutcomeUnknown
from connector.actions import InitiatePayment
from connector.runtime.connector import SessionContext


class Invoice(BaseModel):
    number: str
    account: str
    payee: str
    iban: str
    amount: Decimal


def opened() -> SessionContext:
    """Open a session with the credential of the environment."""
    return Connector().open()


app = FastAPI()


@app.post("/invoices")
async def pay(invoice: Invoice, session: Annotated[SessionContext, Depends(opened)]) -> dict[str, str]:
    payment = InitiatePayment(
        account_id=invoice.account,
        creditor_name=invoice.payee,
        creditor_iban=invoice.iban,
        amount=invoice.amount,
        description=invoice.number,
    )
    async with session as kontor:
        try:
            made = await kontor.run(payment, key=f"invoice {invoice.number}")
        except InputError as error:
            raise HTTPException(422, f"{error.field}: {error.message}") from None
        except OutcomeUnknown as error:
            raise HTTPException(503, str(error.message)) from None
    return {"payment": made.output.id, "status": made.output.status}
