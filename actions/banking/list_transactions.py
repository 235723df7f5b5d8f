# generated: `make handlers` writes it anew
"""List transactions."""

from __future__ import annotations

from typing import ClassVar, Literal

from connector.core.manifest.handlers import Action, Day, Listed
from connector.resources import Transaction


class ListTransactions(Action[Listed[Transaction]]):
    """Finds the transactions of a bank account, or of all accounts behind a bank connection."""

    manifest_id: ClassVar[str] = "list_transactions"

    connection_id: str | None = None
    account_id: str | None = None
    from_date: Day | None = None
    to_date: Day | None = None
    sort: Literal["made_on", "id"] | None = None
    from_id: str | None = None
