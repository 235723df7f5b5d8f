# generated: `make handlers` writes it anew
"""New transaction."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Flag, Trigger
from connector.resources import Transaction


class NewTransaction(Trigger[Transaction]):
    """Triggers when a new transaction is posted, back-dated late arrivals included."""

    manifest_id: ClassVar[str] = "new_transaction"

    connection_id: str | None = None
    account_id: str | None = None
    include_pending: Flag | None = None
    include_duplicates: Flag | None = None
