# generated: `make handlers` writes it anew
"""Payment failed."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import PaymentUpdate


class PaymentFailed(Trigger[PaymentUpdate]):
    """Triggers when a payment has failed or the bank has rejected it."""

    manifest_id: ClassVar[str] = "payment_failed"

    payment_id: str | None = None
    debtor_iban: str | None = None
    custom_field: str | None = None
    custom_value: str | None = None
