# generated: `make handlers` writes it anew
"""Any banking event."""

from __future__ import annotations

from typing import Any, ClassVar

from connector.core.manifest.handlers import Trigger


class BankingEvent(Trigger[dict[str, Any]]):
    """Triggers when any event of the banking area comes in that passes the filters."""

    manifest_id: ClassVar[str] = "banking_event"

    event: str | None = None
    connection_id: str | None = None
    account_id: str | None = None
    payment_id: str | None = None
    status: str | None = None
    provider_code: str | None = None
