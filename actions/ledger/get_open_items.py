# generated: `make handlers` writes it anew
"""Get open items."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from connector.core.manifest.handlers import Action, Day
from connector.resources import OpenItems


class GetOpenItems(Action[OpenItems]):
    """Finds unpaid invoices of all fiscal years per person account, largest balance first."""

    manifest_id: ClassVar[str] = "get_open_items"

    ledger_connection: str
    cutoff: Day | None = None
    side: Literal["all", "debitors", "creditors"] | None = None
    opening_balance: Literal["reconcile", "raw"] | None = None
    client: str | None = None
    extra: dict[str, Any] | None = None
