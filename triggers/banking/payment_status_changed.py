# generated: `make handlers` writes it anew
"""Payment status changed."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import Payment


class PaymentStatusChanged(Trigger[Payment]):
    """Triggers when a payment takes a later status, its first one included."""

    manifest_id: ClassVar[str] = "payment_status_changed"

    connection_id: str | None = None
    account_id: str | None = None
    status: str | None = None
