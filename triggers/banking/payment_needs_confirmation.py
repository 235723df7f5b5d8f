# generated: `make handlers` writes it anew
"""Payment needs confirmation."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import PaymentProgress


class PaymentNeedsConfirmation(Trigger[PaymentProgress]):
    """Triggers when a payment waits for an extra confirmation such as a TAN."""

    manifest_id: ClassVar[str] = "payment_needs_confirmation"

    payment_id: str | None = None
    custom_field: str | None = None
    custom_value: str | None = None
