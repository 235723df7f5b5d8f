# generated: `make handlers` writes it anew
"""Get trial balance."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Action, Day, Listed
from connector.resources import TrialBalanceRow


class GetTrialBalance(Action[Listed[TrialBalanceRow]]):
    """Finds balances, turnover and periods of the accounts of a fiscal year."""

    manifest_id: ClassVar[str] = "get_trial_balance"

    ledger_connection: str
    geschaeftsjahrStartDatum: Day
    account_number: str | None = None
    client: str | None = None
