# generated: `make handlers` writes it anew
"""Get bank connection."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action
from connector.resources import BankConnection


class GetBankConnection(Action[BankConnection]):
    """Finds a bank connection with its status, last error and the day its consent ends."""

    manifest_id: ClassVar[str] = "get_bank_connection"

    id: str
