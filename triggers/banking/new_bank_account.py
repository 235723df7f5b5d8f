# generated: `make handlers` writes it anew
"""New bank account."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import BankAccount


class NewBankAccount(Trigger[BankAccount]):
    """Triggers when a bank account appears behind a bank connection."""

    manifest_id: ClassVar[str] = "new_bank_account"

    connection_id: str | None = None
