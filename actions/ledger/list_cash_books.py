# generated: `make handlers` writes it anew
"""List cash books."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action, Listed
from connector.resources import CashBook


class ListCashBooks(Action[Listed[CashBook]]):
    """Finds the cash books of a client."""

    manifest_id: ClassVar[str] = "list_cash_books"

    ledger_connection: str
    client: str | None = None
