# generated: `make handlers` writes it anew
"""New payment."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import Payment


class NewPayment(Trigger[Payment]):
    """Triggers when there is a new payment, whoever initiated it."""

    manifest_id: ClassVar[str] = "new_payment"

    connection_id: str | None = None
    account_id: str | None = None
