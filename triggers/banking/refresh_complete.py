# generated: `make handlers` writes it anew
"""Refresh complete."""

from __future__ import annotations

from typing import ClassVar

from connector.core.manifest.handlers import Trigger
from connector.resources import RefreshComplete as RefreshCompleteResource


class RefreshComplete(Trigger[RefreshCompleteResource]):
    """Triggers when a bank connection has been refreshed and there is new account data."""

    manifest_id: ClassVar[str] = "refresh_complete"

    connection_id: str | None = None
    account_id: str | None = None
    refresh_type: str | None = None
    status: str | None = None
    provider_code: str | None = None
