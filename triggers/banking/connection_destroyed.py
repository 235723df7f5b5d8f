# generated: `make handlers` writes it anew
"""Bank connection deleted."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import BankConnectionDestroyed


class ConnectionDestroyed(Trigger[BankConnectionDestroyed]):
    """Triggers when a bank connection was deleted, by a call or by the bank."""

    manifest_id: ClassVar[str] = "connection_destroyed"

    connection_id: str | None = None
    refresh_type: str | None = None
    provider_code: str | None = None
