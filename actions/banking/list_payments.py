# generated: `make handlers` writes it anew
"""List payments."""

from __future__ import annotations

from typing import ClassVar, Literal

from connector.core.manifest.handlers import Action, Day, Listed, Whole
from connector.resources import Payment


class ListPayments(Action[Listed[Payment]]):
    """Finds payments in the service's records, newest first."""

    manifest_id: ClassVar[str] = "list_payments"

    connection_id: str | None = None
    account_id: str | None = None
    created_from: Day | None = None
    created_to: Day | None = None
    limit: Whole | None = None
    sort: Literal["date", "id"] | None = None
    from_id: str | None = None
