# generated: `make handlers` writes it anew
"""List ledger connections."""

from __future__ import annotations

from typing import ClassVar, Literal

from connector.core.manifest.handlers import Action, Listed
from connector.resources import LedgerConnection


class ListLedgerConnections(Action[Listed[LedgerConnection]]):
    """Finds the ledger connections of one module, with their state."""

    manifest_id: ClassVar[str] = "list_ledger_connections"

    module: Literal["duo", "rewe"] | None = None
