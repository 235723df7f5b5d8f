# generated: `make handlers` writes it anew
"""Get payment."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action
from connector.resources import Payment


class GetPayment(Action[Payment]):
    """Finds a payment with its live status, straight from the bank."""

    manifest_id: ClassVar[str] = "get_payment"

    id: str
