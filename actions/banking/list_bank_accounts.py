# generated: `make handlers` writes it anew
"""List bank accounts."""

from __future__ import annotations

from typing import ClassVar, Literal

from connector.core.manifest.handlers import Action, Flag, Listed
from connector.resources import BankAccount


class ListBankAccounts(Action[Listed[BankAccount]]):
    """Finds bank accounts with balance, IBAN and the number of transactions."""

    manifest_id: ClassVar[str] = "list_bank_accounts"

    connection_id: str | None = None
    payments_only: Flag | None = None
    api: Literal["partner", "openbanking"] | None = None
