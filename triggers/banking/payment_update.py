# generated: `make handlers` writes it anew
"""Payment update."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import PaymentUpdate as PaymentUpdateResource


class PaymentUpdate(Trigger[PaymentUpdateResource]):
    """Triggers when the status of a payment changes and the service confirms it."""

    manifest_id: ClassVar[str] = "payment_update"

    payment_id: str | None = None
    status: str | None = None
    debtor_iban: str | None = None
    custom_field: str | None = None
    custom_value: str | None = None
