# generated: `make handlers` writes it anew
"""Payment settled."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import PaymentUpdate


class PaymentSettled(Trigger[PaymentUpdate]):
    """Triggers when a payment is settled, the only final success, and the service confirms it."""

    manifest_id: ClassVar[str] = "payment_settled"

    payment_id: str | None = None
    debtor_iban: str | None = None
    custom_field: str | None = None
    custom_value: str | None = None
