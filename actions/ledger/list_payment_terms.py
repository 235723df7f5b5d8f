# generated: `make handlers` writes it anew
"""List payment terms."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action, Day, Listed
from connector.resources import PaymentTerm


class ListPaymentTerms(Action[Listed[PaymentTerm]]):
    """Finds the payment terms of a fiscal year with their discounts and due days."""

    manifest_id: ClassVar[str] = "list_payment_terms"

    ledger_connection: str
    geschaeftsjahrStartDatum: Day
    client: str | None = None
