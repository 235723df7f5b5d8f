# generated: `make handlers` writes it anew
"""Initiate payment."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from connector.core.manifest.handlers import Action, Amount, Day, Inputs
from connector.resources import Payment


class Extra(Inputs):
    """The `extra`."""

    customer_ip_address: str | None = None


class InitiatePayment(Action[Payment]):
    """Starts a SEPA transfer from one of your accounts, which the payer confirms in the bank."""

    manifest_id: ClassVar[str] = "initiate_payment"

    account_id: str
    creditor_name: str
    creditor_iban: str
    amount: Amount
    description: str | None = None
    template_identifier: Literal["SEPA", "SEPA_INSTANT"] | None = None
    execution_date: Day | None = None
    end_to_end_id: str | None = None
    reference: str | None = None
    currency_code: str | None = None
    custom_fields: dict[str, Any] | None = None
    extra: Extra | None = None
