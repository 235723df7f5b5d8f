# generated: `make handlers` writes it anew
"""Transaction changed."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger, Whole
from connector.resources import Transaction


class TransactionChanged(Trigger[Transaction]):
    """Triggers when a known transaction is posted, changes its status or is marked as a duplicate."""

    manifest_id: ClassVar[str] = "transaction_changed"

    connection_id: str | None = None
    account_id: str | None = None
    days: Whole | None = None
