# generated: `make handlers` writes it anew
"""Get transaction."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action
from connector.resources import Transaction


class GetTransaction(Action[Transaction]):
    """Finds a transaction with its parsed SEPA fields and the payment it belongs to."""

    manifest_id: ClassVar[str] = "get_transaction"

    account_id: str
    id: str
